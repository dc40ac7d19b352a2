/**
 * The agent programs of five vendors as they come from npm, against loopback models: in the sandbox, with worktrees and a gate, killed in
 * their work. They take 1.3 GB, so they are not installed for every run: EKIDEN_AGENT_PROGRAMS names the folder of their commands
 * (`node_modules/.bin` of a folder that is not in the temporary one, which the sandbox hides). Without it this file is left out; a
 * program that is not in the folder is skipped.
 */
import { existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { recruit } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { answer } from "../../../src/team/actions/answer.ts";

import { programTeam } from "../../fixtures/program-team.ts";
import {
  ALONE,
  commandLine,
  installed,
  killAll,
  PROGRAM,
  PROGRAMS,
  realAgents,
  type Vendor,
  worker,
} from "../../fixtures/real-agents.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const TASKS = 3;

async function teamOf(
  vendor: Vendor,
  command: (id: string) => string,
  settings: Partial<Settings> = {},
  bin = PROGRAMS,
) {
  const agents = await realAgents(worker(command), bin);
  const folder = mkdtempSync(join(tmpdir(), "ekiden-program-"));
  const { git } = repositoryIn(folder, { "a.txt": "a\n" });
  const team = await programTeam({
    says: { lead: Array.from({ length: 40 }, () => ({ text: "Waiting." })) },
    folder,
    settings: {
      teammates: [recruit(`ann@${vendor}`)],
      ...{ sandbox: "required", permissionMode: "bypass", worktrees: true, gate: "test -f a.txt" },
      ...settings,
    },
    host: { env: agents.env, asks: true },
  });
  return { ...team, agents, git };
}

/** One command, and one question for it. */
async function asksOnce(vendor: Vendor, bin?: string): Promise<void> {
  const command = (id: string): string => `echo work > work-${id}.txt`;
  const { agents, git, ...team } = await teamOf(vendor, command, { permissionMode: "default" }, bin);
  await team.store.board.add({ subject: "Write 1", description: "Write it" }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  const asked: unknown[] = [];
  await soon(async () => {
    for (const request of await team.store.requests.open()) {
      asked.push(request.ask);
      await answer(team.store, request.id, "yes");
    }
    expect((await team.store.board.counts()).completed).toBe(1);
  });
  expect(asked).toEqual([expect.objectContaining({ kind: "permission", tool: "bash" })]);
  expect(git("show", "main:work-1.txt")).toBe("work");
  await team.host.close();
  expect(agents.processes()).toEqual([]);
}

describe.each(installed)("%s", (vendor) => {
  it("lands every task once, also when it is killed in it, and nothing of it is left", async () => {
    const { agents, git, ...team } = await teamOf(vendor, (id) => `echo work > work-${id}.txt && sleep 2`);
    const completed = async (): Promise<number> => (await team.store.board.counts()).completed;
    for (let nth = 1; nth <= TASKS; nth += 1)
      await team.store.board.add({ subject: `Write ${nth}`, description: "Write it" }, PERSON);
    await team.host.start({ goal: "Do the tasks" });
    await soon(async () => expect(await completed()).toBeGreaterThan(0));
    await soon(() => {
      const running = agents.processes().filter((pid) => commandLine(pid).includes(PROGRAM[vendor]));
      killAll(running);
      expect(running.length).toBeGreaterThan(0);
    });
    // opencode takes ten seconds and more until it can work in a new folder.
    await vi.waitFor(async () => expect(await completed()).toBe(TASKS), { timeout: 240_000, interval: 50 });
    const landed = (await team.events("task.landed")).map((event) => (event as { task?: number }).task);
    expect(landed.sort()).toEqual([1, 2, 3]);
    for (let nth = 1; nth <= TASKS; nth += 1) expect(git("show", `main:work-${nth}.txt`)).toBe("work");
    const turns = (await team.events("turn.taken")).filter((event) => "who" in event && event.who === "ann");
    expect(turns).toContainEqual(
      expect.objectContaining({ inputTokens: expect.any(Number), outputTokens: 10 }),
    );
    // Its commands are in the transcript with what they printed, which Gemini CLI does not say.
    const entries = await team.store.transcript.current("ann" as never);
    const steps = entries.flatMap((one) =>
      one.kind === "result" && one.result.tool === "agent_step" ? [one] : [],
    );
    const printed = vendor === "gemini" ? "Done." : "worked-well";
    expect(steps.map(({ result }) => result.text)).toContainEqual(expect.stringContaining(printed));
    await team.host.close();
    expect(agents.processes()).toEqual([]);
  }, 300_000);

  // Codex runs with full access inside the sandbox.
  it.skipIf(vendor === "codex")(
    "asks in the one place of the team before it runs a command",
    async () => {
      await asksOnce(vendor);
    },
    300_000,
  );
});

const alone = (["claude", "codex"] as const).flatMap((vendor) => {
  const file = ALONE[vendor].map((path) => join(PROGRAMS, path)).find((path) => existsSync(path));
  return file === undefined ? [] : [{ vendor, file }];
});

describe.each(alone)("$vendor without its adapter", ({ vendor, file }) => {
  /** A folder of commands with the program, and without the adapter that speaks the protocol. */
  const bin = (): string => {
    const folder = mkdtempSync(resolve("node_modules/.ekiden-bin-"));
    onTestFinished(() => takeAway(folder));
    symlinkSync(file, join(folder, vendor));
    return folder;
  };

  it("lands every task once, continues with its session after a kill, and nothing of it is left", async () => {
    const command = (id: string): string => `echo work > work-${id}.txt && sleep 2`;
    const { agents, git, ...team } = await teamOf(vendor, command, {}, bin());
    for (let nth = 1; nth <= 2; nth += 1)
      await team.store.board.add({ subject: `Write ${nth}`, description: "Write it" }, PERSON);
    await team.host.start({ goal: "Do the tasks" });
    await soon(() => expect(agents.processes().map(commandLine).join("\n")).toContain("sleep 2"));
    killAll(agents.processes());
    await team.until("task.completed", { task: 2 });
    const landed = (await team.events("task.landed")).map((event) => (event as { task?: number }).task);
    expect(landed.sort()).toEqual([1, 2]);
    for (let nth = 1; nth <= 2; nth += 1) expect(git("show", `main:work-${nth}.txt`)).toBe("work");
    const turns = (await team.events("turn.taken")).filter((event) => "who" in event && event.who === "ann");
    expect(turns).toContainEqual(
      expect.objectContaining({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) }),
    );
    const entries = await team.store.transcript.current("ann" as never);
    expect(JSON.stringify(entries)).toContain("worked-well");
    await team.host.close();
    expect(agents.processes()).toEqual([]);
  }, 300_000);

  it.skipIf(vendor === "codex")(
    "asks in the one place of the team before it runs a command",
    async () => {
      await asksOnce(vendor, bin());
    },
    300_000,
  );
});
