/** (g) What the first request of the lead and of a teammate weighs before anybody has said anything: system prompt and tools. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopback } from "./loopback.ts";
import type { Item } from "./measure.ts";
import { figure } from "./measure.ts";
import { BUILT, freshFolder, runNode } from "./stage.ts";

type Body = {
  readonly system?: unknown;
  readonly tools?: readonly { name: string }[];
  readonly messages?: readonly unknown[];
};

const BUDGETS = { lead: 4_000, teammate: 3_000 };

/** A teammate knows the names of the others, so its prompt grows with the team. */
const MANY = 10;

export const prompt: Item = async () => {
  const [alone, many] = [await largest(1), await largest(MANY)];
  return [
    figureOf("teammate", "the teammate", alone),
    figureOf("lead", "the lead", alone),
    figureOf("teammate", `a teammate of ${MANY}`, many),
    figureOf("lead", `the lead of ${MANY}`, many),
  ];
};

type Who = keyof typeof BUDGETS;
const sizeOf = (body: Body): number =>
  JSON.stringify([body.system ?? "", body.tools ?? [], body.messages?.[0] ?? ""]).length;

/** Every teammate has a task. Those that begin last know all the others. */
async function largest(teammates: number): Promise<ReadonlyMap<Who, Body>> {
  const runbook = join(freshFolder(), "tasks.md");
  const tasks = Array.from({ length: teammates }, (_, nth) => `## Answer ${nth + 1}\n\nSay hello.\n`);
  writeFileSync(runbook, `# Capture a request\n\n${tasks.join("\n")}`);
  const found = new Map<Who, Body>();
  const server = await loopback((_, text) => {
    const body = JSON.parse(text) as Body;
    const who = JSON.stringify(body.messages?.[0]).includes("a teammate in team") ? "teammate" : "lead";
    const before = found.get(who);
    const isFirst = !JSON.stringify(body.messages).includes("tool_result");
    if (!before || (isFirst && sizeOf(body) > sizeOf(before))) found.set(who, body);
    return who === "teammate" && isFirst
      ? { tool: "complete_task", input: { result: "hello" } }
      : { text: "Done." };
  });
  const count = ["--teammates", String(teammates)];
  try {
    await runNode([BUILT, "run", runbook, "--model", "anthropic/loopback", ...count, "--quiet"], server.env);
  } finally {
    await server.close();
  }
  return found;
}

function figureOf(who: Who, name: string, found: ReadonlyMap<Who, Body>) {
  const body = found.get(who);
  if (!body) throw new Error(`no request of the ${who} was seen`);
  const [system, tools] = [JSON.stringify(body.system ?? "").length, JSON.stringify(body.tools ?? []).length];
  const all = sizeOf(body);
  return figure({
    item: "g",
    name: `first request of ${name}, estimated tokens`,
    unit: "tokens",
    value: all / 4,
    budget: { of: "value", atMost: BUDGETS[who] },
    note: `${all} bytes: system ${system}, ${body.tools?.length ?? 0} tools ${tools}, first message ${all - system - tools}`,
  });
}
