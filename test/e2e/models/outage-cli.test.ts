/** Budgets, patience and compaction of a headless run, as the command line shows them. */
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  calls,
  fails,
  type ModelCall,
  type ModelServer,
  type Program,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
let server: ModelServer | null = null;
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await project.end();
  await server?.close();
  server = null;
});

async function serving(program: Program): Promise<Record<string, string>> {
  server = await startModelServer({ anthropic: program });
  return { ...server.env, EKIDEN_MODEL: "anthropic/claude-haiku-4-5" };
}
const words = ({ messages }: ModelCall): string => JSON.stringify(messages);

it("stops at its token budget with code 4, warned at 80 %, and continues when it is given more", async () => {
  const env = await serving(({ nth }) =>
    nth <= 10 ? calls("glob", { pattern: `*.${nth}` }) : says("That is all."),
  );
  const stopped = await project.run(["run", "look around", "--teammates", "0", "--budget-tokens", "1000"], {
    env,
  });
  expect(stopped.code).toBe(4);
  expect(stopped.stderr).toMatch(/budget of 1000 tokens is used up to 8\d %/);
  expect(server?.requests).toHaveLength(10); // 110 tokens each
  const again = await project.run(["resume", "--budget-tokens", "1000"], { env });
  expect(again.code).toBe(4);
  const more = await project.run(["resume", "--budget-tokens", "5000"], { env });
  expect(more).toMatchObject({ code: 0, stdout: expect.stringContaining("That is all.") });
});

it("says rate_limited while the provider is down, and continues when it is back", async () => {
  let isDown = true;
  const env = await serving(() => (isDown ? fails.overloaded() : says("Here I am.")));
  const end = ended(project.start(["run", "try it", "--teammates", "0"], env));
  await expect
    .poll(async () => (await project.store({ access: "use" })).roster.members())
    .toMatchObject([{ activity: { reason: "rate_limited" } }]);
  isDown = false;
  expect(await end).toMatchObject({ code: 0, stdout: "Here I am.\n" });
});

it("gives up with code 3 when its provider timeout ends", async () => {
  const env = await serving(() => fails.overloaded());
  const { code, stderr } = await project.run(["run", "try it", "--teammates", "0"], {
    env: { ...env, EKIDEN_PROVIDER_TIMEOUT_MS: "1000" },
  });
  expect(code).toBe(3);
  expect(stderr).toContain("529");
});

it("sums up a conversation that grows too long and keeps all of it readable", async () => {
  let long = 0;
  const env = await serving((request) => {
    if (request.tools.length === 0) return says("Goal: count. Done: counted a lot.");
    long += 1;
    return long <= 8
      ? { ...calls("glob", { pattern: `*.${long}` }), text: `count ${long} ${"x".repeat(2_500)}` }
      : says(words(request).includes("counted a lot") ? "It was summed up." : "It was not.");
  });
  const run = await project.run(["run", "count", "--teammates", "0"], {
    env: { ...env, EKIDEN_CONTEXT_TOKENS: "8000" },
  });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("It was summed up.") });
  const { stdout } = await project.run(["transcript", "lead"]);
  expect(stdout).toContain("count 1 xxx");
  expect(stdout).toContain("Done: counted a lot.");
});

it("sums up the lead's conversation when the person says /compact", async () => {
  const env = await serving((request) =>
    request.tools.length === 0
      ? says("Goal: greet. Done: greeted.")
      : says(words(request).includes("Done: greeted.") ? "I greeted you before." : "Hello."),
  );
  const { stdout, stderr, code } = await project.run(["--teammates", "0"], {
    env,
    input: "hello\n/compact\nwho am I?\n/quit\n",
  });
  expect(stdout + stderr).toMatch(/the conversation of lead was summed up: [\d.k]+ → [\d.k]+ tokens/);
  expect(stdout).toContain("I greeted you before.");
  expect(code).toBe(0);
});
