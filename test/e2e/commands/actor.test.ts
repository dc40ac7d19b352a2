/** The program in a member's own shell: its commands are the member's, not the person's. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { EKIDEN, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

type Inbox = { mail: { from: string; body: { text: string } }[] };
const FIRST = ["run", "plan.md", "--teammate", "alice"];

it("a teammate writes and adds tasks in its own name, and is refused what it may not decide", async () => {
  const tried = [
    ...["stop", "stop lead --now", "cancel 1", "retry 1", "release 1", "reopen 1"],
    "member alice --role boss",
  ];
  const refused = tried.map((line) => `${EKIDEN} ${line} && exit 3`).join("\n");
  const block = `${EKIDEN} send lead hello there\n${EKIDEN} add Another one\n(\n${refused}\ntrue\n) 2>&1\n`;
  project.write({ "plan.md": `# Try it\n## Speak\n\`\`\`sh\n${block}\`\`\`\n` });
  const run = await project.run(FIRST, { env: { EKIDEN_SANDBOX: "off" } });
  expect(run.code, run.stderr).toBe(0); // the added task is prose of no runbook, so it is left on the board
  const { result } = (await project.json<{ task: { result: string } }>(["tasks", "1"])).task;
  expect(result.match(/this is a command of alice, who may not decide that/g)).toHaveLength(tried.length);
  expect(result).toContain("release_task");
  expect(result).toContain("request_shutdown");
  const { mail } = await project.json<Inbox>(["inbox", "lead"]);
  expect(mail.filter(({ body }) => body.text === "hello there").map(({ from }) => from)).toEqual(["alice"]);
  const added = (await project.run(["log", "--json"])).stdout
    .split("\n")
    .filter((line) => line.includes('"subject":"Another one"'));
  expect(JSON.parse(added[0] ?? "")).toMatchObject({ type: "task.added", by: "alice" });
  const { task } = await project.json<{ task: { status: string } }>(["tasks", "2"]);
  expect(task.status).toBe("pending");
});

it("with the team of another project it does what a person may", async () => {
  const block = `mkdir other\n${EKIDEN} --cwd other add One\n${EKIDEN} --cwd other cancel 1\n`;
  project.write({ "plan.md": `# Try it\n## Speak\n\`\`\`sh\n${block}\`\`\`\n` });
  const run = await project.run(FIRST, { env: { EKIDEN_SANDBOX: "off" } });
  expect(run.code, run.stderr).toBe(0);
});

it.runIf(process.platform === "linux")("stays the member also where the command line hides it", async () => {
  const hidden = [
    `env -u EKIDEN_MEMBER -u EKIDEN_JOB ${EKIDEN}`,
    `env -i PATH="$PATH" HOME="$HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME" ${EKIDEN}`,
    `EKIDEN_MEMBER=lead ${EKIDEN}`,
    `env -u EKIDEN_MEMBER -u EKIDEN_JOB sh -c 'exec "$@"' sh ${EKIDEN}`,
    `EKIDEN_MEMBER= EKIDEN_JOB= ${EKIDEN}`,
  ];
  const lines = hidden.flatMap((program) => [
    `${program} cancel 1 && exit 3`,
    `${program} answer abc yes && exit 3`,
    `${program} send lead I am alice`,
    `${program} trust && exit 3`,
  ]);
  project.write({
    "plan.md": `# Try it\n## Speak\n\`\`\`sh\n(\n${lines.join("\n")}\ntrue\n) 2>&1\n\`\`\`\n`,
  });
  const run = await project.run(FIRST, { env: { EKIDEN_SANDBOX: "off" } });
  expect(run.code, run.stderr).toBe(0);
  const { result } = (await project.json<{ task: { result: string } }>(["tasks", "1"])).task;
  expect(result.match(/a command of alice, who may not decide that/g)).toHaveLength(hidden.length);
  expect(result.match(/only a person answers here/g)).toHaveLength(hidden.length);
  expect(result.match(/only the person may agree/g)).toHaveLength(hidden.length);
  const { mail } = await project.json<Inbox>(["inbox", "lead"]);
  const froms = mail.filter(({ body }) => body.text === "I am alice").map(({ from }) => from);
  expect(froms).toEqual(hidden.map(() => "alice"));
});

bubblewrapOrSkip(it)("names the tools where the sandbox keeps it from the store", async () => {
  const block = `${EKIDEN} tasks && exit 3\n${EKIDEN} add Another && exit 3\ntrue\n`;
  project.write({ "plan.md": `# Try it\n## Speak\n\`\`\`sh\n(\n${block}) 2>&1\n\`\`\`\n` });
  const run = await project.run(FIRST, { env: { EKIDEN_SANDBOX: "required" } });
  expect(run.code, run.stderr).toBe(0);
  const { result } = (await project.json<{ task: { result: string } }>(["tasks", "1"])).task;
  expect(result.match(/Use your tools: list_tasks and get_task/g)).toHaveLength(2);
});
