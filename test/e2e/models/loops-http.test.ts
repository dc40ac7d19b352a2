/** Models that repeat themselves, through the built program and a provider's protocol, at default settings. */
import { afterEach, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { type Answer, startModelServer } from "../../fixtures/model-server/index.ts";
import { Project } from "../cli-program.ts";

const MOST = 60;
let project: Project;
afterEach(() => project.end());

const does = (tool: string, input: object = {}): Answer => ({ calls: [{ tool, input }] });
const word = (n: number): string =>
  [...n.toString(3).padStart(6, "0")].map((digit) => "xyz"[Number(digit)]).join("");

const LOOPS: Readonly<Record<string, (n: number) => Answer>> = {
  "the same call": () => does("list_tasks"),
  "two calls in turn": (n) => (n % 2 ? does("list_tasks") : does("glob", { pattern: "*.md" })),
  "a growing argument": (n) => does("glob", { pattern: `${"a".repeat(n)}*` }),
  "a text that changes": (n) => ({ text: `Next I look at ${word(n)}.` }),
};

type Requests = Map<string, number>;
async function run(args: readonly string[], loops: (who: string, n: number) => Answer): Promise<Requests> {
  project = new Project();
  const asked: Requests = new Map();
  const server = await startModelServer({
    anthropic: ({ system }) => {
      const who = /^You are "([^"]+)"/.exec(system)?.[1] ?? "";
      if (who === "judge") return { text: "STOP: it gets nowhere" };
      asked.set(who, (asked.get(who) ?? 0) + 1);
      return loops(who, asked.get(who) ?? 0);
    },
  });
  const model = ["--model", "anthropic/claude-sonnet-4-5", "--quiet"];
  try {
    if (args.includes("resume")) await project.add({ subject: "Do it" });
    // A member that only talks is one that cannot work: its run ends after a while.
    await project.run([...args, ...model], { env: { ...server.env, EKIDEN_PROVIDER_TIMEOUT_MS: "1000" } });
  } finally {
    await server.close();
  }
  return asked;
}

const ALL = Object.entries(LOOPS);
it.each(sampled(ALL, 4))("a lead with %s costs at most 60 calls", async (_, loop) => {
  const asked = await run(["run", "Go", "--teammates", "0"], (_who, n) => loop(n));
  expect(asked.get("lead")).toBeGreaterThan(0);
  expect(asked.get("lead")).toBeLessThanOrEqual(MOST);
});

it.each(sampled(ALL, 4, 1))("a teammate whose task is done by %s costs at most 60 calls", async (_, loop) => {
  const asked = await run(["resume", "--teammates", "1"], (who, n) =>
    who === "alice" ? loop(n) : { text: "I see." },
  );
  expect(asked.get("alice")).toBeGreaterThan(0);
  expect(asked.get("alice")).toBeLessThanOrEqual(MOST);
});

it.each(sampled(ALL, 4, 2))("a subagent with %s costs at most 60 calls", async (_, loop) => {
  const asked = await run(["run", "Go", "--teammates", "0"], (who, n) =>
    who === "lead"
      ? n === 1
        ? does("task", { prompt: "Look around.", description: "look" })
        : { text: "I see." }
      : loop(n),
  );
  const [subagent] = [...asked].filter(([who]) => who.includes("/"));
  expect(subagent?.[1]).toBeGreaterThan(0);
  expect(subagent?.[1]).toBeLessThanOrEqual(MOST);
});
