/**
 * An agent program leads and is killed in the middle of its plan, by SIGKILL at any moment: it starts again and repeats its plan. No task is on the
 * board twice, and none is missing. More kills by hand: EKIDEN_LEAD_KILLS=100.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { recruits } from "../../../src/core/board/recruit.ts";
import { type AgentStep, agentProgram } from "../../fixtures/agent-program.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const KILLS = Number(process.env.EKIDEN_LEAD_KILLS ?? 4);
const AT_ONCE = 4;
const SUBJECTS = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}.txt`);
type Steps = readonly AgentStep[];

/** The plan; with a number, it is killed so many milliseconds after it began to add that task. */
const plan = (at?: number, killedIn = 0): Steps => [
  ...SUBJECTS.map((subject, nth) => ({
    ...(nth === at && { killedIn }),
    ...{ call: "create_task", input: { subject, description: `Write ${subject}` } },
  })),
  ...(at === undefined ? [] : [{ die: true }]),
];

const PROGRAMS: Readonly<Record<string, (prompts: readonly Steps[]) => { line: string; env: object }>> = {
  "that speaks the protocol": (prompts) => ({ line: agentProgram({ prompts }).agent, env: {} }),
  "without a session": (prompts) => {
    const folder = mkdtempSync(join(tmpdir(), "ekiden-lead-"));
    onTestFinished(() => takeAway(folder));
    writeFileSync(join(folder, "script.json"), JSON.stringify({ members: { lead: prompts } }));
    mkdirSync(join(folder, ".claude"));
    writeFileSync(join(folder, ".claude", ".credentials.json"), "{}");
    const program = resolve(import.meta.dirname, "../../fixtures/headless-agent.mjs");
    writeFileSync(
      join(folder, "claude"),
      `#!/bin/sh\nSCRIPT=${folder}/script.json LOG=${folder}/log exec "${process.execPath}" "${program}" "$@"\n`,
      { mode: 0o755 },
    );
    return { line: "agent:claude", env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder } };
  },
};

it.each(sampled(Object.entries(PROGRAMS), 2))(
  `a program %s is killed ${KILLS} times`,
  {
    timeout: 60_000 + KILLS * 5_000,
  },
  async (_, programOf) => {
    const one = async (nth: number): Promise<void> => {
      const said = [{ say: "Planned." }];
      const prompts = [plan(nth % SUBJECTS.length, nth % 11), [...plan(), ...said], [{ say: "Written." }]];
      const { line, env } = programOf(prompts);
      const team = await programTeam({
        says: {
          alice: SUBJECTS.flatMap(() => [
            { calls: [{ tool: "complete_task", input: { result: "done" } }] },
            { text: "Done." },
          ]),
        },
        settings: { lead: line, teammates: recruits(1), sandbox: "off" },
        host: { env: { PATH: process.env.PATH, HOME: tmpdir(), ...env } },
      });
      await team.host.start({ goal: "Write six files" });
      expect(await team.host.done).toMatchObject({
        reason: "concluded",
        completed: SUBJECTS.length,
        failed: 0,
      });
      expect((await team.store.board.tasks()).map(({ subject }) => subject)).toEqual(SUBJECTS);
      const { host } = team;
      await host.close();
    };
    for (let begun = 0; begun < KILLS; begun += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, KILLS - begun) }, (_, nth) => one(begun + nth)),
      );
  },
);
