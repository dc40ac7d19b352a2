/** Teams that work without a terminal, and the list of all teams of a person. */
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runs, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";

const PLAN = (block: string): string => `# Goal\n## one\n\`\`\`sh\n${block}\n\`\`\`\n`;
type Listed = {
  readonly team: string;
  readonly cwd: string;
  readonly state: string;
  readonly note: string;
  readonly questions: number;
};

it("works on after its terminal, is listed from everywhere, and ends when asked", async () => {
  const place = project();
  place.write({ "plan.md": PLAN("until [ -e go ]; do echo at work; sleep 0.05; done") });
  const started = await place.run(["run", "plan.md", "--detach", "--json"]);
  expect(started.code).toBe(0);
  const { team, pid, log } = JSON.parse(started.stdout) as { team: string; pid: number; log: string };
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  expect(team).toBe("default");
  expect(() => process.kill(pid, 0)).not.toThrow();
  const again = await place.run(["run", "plan.md", "--detach"]);
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the team is already running. ekiden top"),
  });
  const listed = async (...options: string[]): Promise<Listed[]> =>
    (JSON.parse((await place.run(["ps", "--json", ...options])).stdout) as { teams: Listed[] }).teams;
  await soon(async () => expect(await listed()).toMatchObject([{ cwd: place.dir, state: "working" }]));
  expect((await place.run(["ps"])).stdout).toMatch(/working +default +\/.* 0\/1/);
  // Another terminal shows what the team prints, talks to it, and leaves it as it is.
  const terminal = await place.open(["--model", "runbook"], { columns: 100, rows: 24 });
  await terminal.shows(/#1 +runs .* at work +\d/);
  terminal.type("hello\r");
  await terminal.shows("Noted.");
  terminal.type("\x04");
  expect(await terminal.ended).toBe(0);
  expect(await listed()).toMatchObject([{ state: "working" }]);
  place.write({ go: "" });
  await soon(async () => expect(await listed()).toMatchObject([{ state: "done" }]));
  await soon(() => expect(readFileSync(log, "utf8")).toContain("1 of 1 tasks completed"));
  rmSync(join(place.dir, ".ekiden"), { recursive: true });
  expect(await listed("--all")).toEqual([]);
  // A new store has not this team.
  await place.run(["add", "Something", "--team", "other"]);
  expect((await listed("--all")).map(({ team }) => team)).not.toContain("default");
});

it("lists a run before its work begins, so that one killed at once is found", async () => {
  const place = project();
  const hooks = { UserPromptSubmit: [{ command: "touch begun; sleep 60" }] };
  place.write({ "plan.md": PLAN("true"), ".ekiden/settings.json": JSON.stringify({ hooks }) });
  const run = place.start(["run", "plan.md"]);
  await soon(() => expect(existsSync(join(place.dir, "begun"))).toBe(true));
  run.kill("SIGKILL");
  await once(run, "close");
  expect((await place.run(["ps", "--all"])).stdout).toContain(place.dir);
});

it("knows at once that the process of a team was killed, and takes the team over", async () => {
  const place = project();
  place.write({ "plan.md": PLAN("until [ -e go ]; do sleep 0.05; done") });
  const env = { EKIDEN_LEASE_MS: "3600000" };
  const { stdout } = await place.run(["run", "plan.md", "--detach", "--json"], { env });
  const { pid } = JSON.parse(stdout) as { pid: number };
  const stateIs = (state: RegExp): Promise<void> =>
    soon(async () => expect((await place.run(["ps"])).stdout).toMatch(state));
  await stateIs(/^working +default/m);
  process.kill(pid, "SIGKILL");
  await stateIs(/^stopped +default/m);
  expect((await place.run(["team"])).stdout).not.toContain("work #1");
  expect(await place.run(["stop"])).toMatchObject({ code: 0 });
  expect(await place.run(["resume", "--detach"], { env })).toMatchObject({ code: 0 });
  await stateIs(/^working +default/m);
  place.write({ go: "" });
  await stateIs(/^done +default/m);
});

it("says at once why it cannot begin, and what it cannot do", async () => {
  const place = project();
  const without = await place.run(["run", "Do it", "--detach", "--model", "anthropic/claude-sonnet-5-5"]);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain("ANTHROPIC_API_KEY");
  const piped = await place.run(["run", "-", "--detach"]);
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining("no standard input") });
});

it("lists a question that waits before all else, and its answer reaches the team", async () => {
  const server = await startModelServer({
    anthropic: ({ messages }) => (messages.length < 3 ? runs("touch x") : says("Done.")),
  });
  onTestFinished(() => server.close());
  const place = project();
  const env = { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" };
  const model = ["--model", "anthropic/claude-sonnet-5-5", "--teammates", "0"];
  const { code } = await place.run(["run", "Touch x", "--detach", ...model], { env });
  expect(code).toBe(0);
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^needs you +default/m));
  const { stdout } = await place.run(["requests", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ requests: [{ kind: "permission" }] });
  // On a terminal the list is live, and a key answers.
  const terminal = await place.open(["ps"], {
    ...{ columns: 100, rows: 24 },
    env: { ...env, EKIDEN_MODEL: "anthropic/claude-sonnet-5-5" },
  });
  await terminal.shows(/Needs you \(1\)\n *›? *● default .*\n +\? lead: bash: touch x/);
  terminal.type("j");
  await terminal.shows(/› .*lead: wants to run\n +│ bash: touch x[\s\S]*y yes · n no/);
  terminal.type("y");
  await terminal.shows(/Done \(1\)\n.*● default/);
  terminal.type("\r");
  await terminal.shows(/Done\.[\s\S]*Type what you want/);
  terminal.type("/quit\r");
  await terminal.shows(/ekiden ps · 1 team\n/);
  terminal.type("q");
  expect(await terminal.ended).toBe(0);
  expect((await place.run(["ps"])).stdout).toMatch(/^done +default/m);
});
