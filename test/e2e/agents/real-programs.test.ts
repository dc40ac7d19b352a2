/**
 * Claude Code and Codex as they come from npm, against loopback models: in the sandbox, with worktrees and a gate, killed in their work.
 * They take 700 MB, so they are not installed for every run: EKIDEN_AGENT_PROGRAMS names the folder of their commands
 * (`node_modules/.bin` of a folder that is not in the temporary one, which the sandbox hides). Without it this file is left out.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { recruit } from "../../../src/core/recruit.ts";
import {
  type Answer,
  calls,
  type ModelCall,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const TASKS = 6;
const IN_WORK = "sleep 2";

/** The model of both: writes a file of its own for each task, and completes it. */
function answer({ messages, tools }: ModelCall): Answer {
  const last = messages.at(-1);
  const results = last?.content.flatMap((part) => (part.type === "result" ? [part.text] : [])) ?? [];
  const text = last ? [textOf(last), ...results].join("\n") : "";
  const complete = tools.find((name) => /complete_task$/.test(name));
  const id = [...JSON.stringify(messages).matchAll(/(?:auto-claimed|own-task) task=\W+(\d+)/g)].at(-1)?.[1];
  if (complete === undefined || id === undefined || /Completed #|Not run/.test(text))
    return says("All done.");
  if (/worked-well/.test(text)) return calls(complete, { result: "written; nothing else to run" });
  if (/Not completed yet/.test(text)) return calls(complete, { result: "written; nothing to run" });
  const command = `echo work > work-${id}.txt && ${IN_WORK} && echo worked-well`;
  const isCodex = tools.includes("exec_command");
  return isCodex ? calls("exec_command", { cmd: command }) : calls("Bash", { command, description: "work" });
}

const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // it has ended
  }
};

it("Claude Code and Codex land every task once, also when they are killed in it, and nothing of them is left", async () => {
  const server = await startModelServer(
    { anthropic: answer, responses: answer },
    { thinks: false, checks: false },
  );
  const home = mkdtempSync(resolve("node_modules/.ekiden-home-"));
  onTestFinished(async () => {
    takeAway(home);
    await server.close();
  });
  mkdirSync(join(home, ".codex"));
  const provider = `name = "loopback"\nbase_url = "${server.url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"`;
  writeFileSync(
    join(home, ".codex", "config.toml"),
    `model = "gpt-5"\nmodel_provider = "loopback"\n[model_providers.loopback]\n${provider}\n`,
  );
  const folder = mkdtempSync(join(tmpdir(), "ekiden-program-"));
  const { git } = repositoryIn(folder, { "a.txt": "a\n" });
  const PATH = `${process.env.EKIDEN_AGENT_PROGRAMS}:${process.env.PATH}`;
  const team = await programTeam({
    says: { lead: Array.from({ length: 40 }, () => ({ text: "Waiting." })) },
    folder,
    settings: {
      teammates: [recruit("ann@claude"), recruit("bob@codex")],
      ...{ sandbox: "required", permissionMode: "bypass", worktrees: true, gate: "test -f a.txt" },
    },
    host: { env: { PATH, HOME: home, ...server.env, IS_SANDBOX: "1" } },
  });
  const processes = (): number[] => processesOf(new Set(), `HOME=${home}\0`);
  const completed = async (): Promise<number> => (await team.store.board.counts()).completed;
  for (let nth = 1; nth <= TASKS; nth += 1)
    await team.store.board.add({ subject: `Write ${nth}`, description: "Write it" }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  for (const [nth, program] of ["claude-agent-acp", "codex-acp"].entries()) {
    await soon(async () => expect(await completed()).toBeGreaterThan(nth));
    await soon(() => {
      const running = processes().filter((pid) => commandLine(pid).includes(program));
      for (const pid of running) process.kill(pid, "SIGKILL");
      expect(running.length).toBeGreaterThan(0);
    });
  }
  await soon(async () => expect(await completed()).toBe(TASKS));
  const landed = (await team.events("task.landed")).map((event) => (event as { task?: number }).task);
  expect(landed.sort()).toEqual([1, 2, 3, 4, 5, 6]);
  for (let nth = 1; nth <= TASKS; nth += 1) expect(git("show", `main:work-${nth}.txt`)).toBe("work");
  const owners = (await team.store.board.tasks()).map((task) => ("owner" in task ? task.owner : null));
  expect(new Set(owners)).toEqual(new Set(["ann", "bob"]));
  await team.host.close();
  expect(processes()).toEqual([]);
}, 300_000);
