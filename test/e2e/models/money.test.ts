/** Loops of every kind end at default settings, and long honest work does not: real teams in this process, with scripted models. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HONEST, type Honest } from "../../fixtures/long-work.ts";
import { FEW, LOOPS, type Loop } from "../../fixtures/loops.ts";
import { FILE_LOOPS } from "../../fixtures/loops-of-files.ts";
import { GIT_LOOPS } from "../../fixtures/loops-of-git.ts";
import { LOOK_LOOPS } from "../../fixtures/loops-of-looks.ts";
import { OTHER_LOOPS } from "../../fixtures/loops-of-others.ts";
import { TALK_LOOPS } from "../../fixtures/loops-of-talk.ts";
import { TEAM_LOOPS } from "../../fixtures/loops-of-teams.ts";
import { WORK_LOOPS } from "../../fixtures/loops-of-work.ts";
import { MORE_LONG_WORK } from "../../fixtures/more-long-work.ts";
import { OTHER_LONG_WORK } from "../../fixtures/other-long-work.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const MEMBER_MOST = 64;
/** The limit of a team at default settings, and `FEW_MOST` that of one with a lower limit of calls without progress. */
const TEAM_MOST = 250;
const FEW_MOST = FEW + 50;
const bypass = { permissionMode: "bypass", sandbox: "off" } as const;

async function play({ says, mates = 1, runbook, settings = {} }: Loop | Honest) {
  const names = ["alice", "bob", "carol"].slice(0, mates);
  const teammates = names.map((name) => ({ name: name as never, role: "" }));
  const team = await programTeam({ says: says(), settings: { ...bypass, teammates, ...settings } });
  for (let n = 1; n <= 16; n += 1) writeFileSync(join(team.folder, `part-${n}.txt`), `part ${n}`);
  await team.host.start(runbook ? { runbook } : { goal: "Go" });
  const outcome = await team.host.done;
  const turns = await team.events("turn.taken");
  const calls = new Map<string, number>();
  for (const turn of turns)
    if (turn.type === "turn.taken") calls.set(turn.who, (calls.get(turn.who) ?? 0) + 1);
  return { outcome, all: turns.length, most: Math.max(0, ...calls.values()), team };
}

describe("a loop ends", () => {
  const loops = {
    ...LOOPS,
    ...FILE_LOOPS,
    ...GIT_LOOPS,
    ...LOOK_LOOPS,
    ...OTHER_LOOPS,
    ...TALK_LOOPS,
    ...TEAM_LOOPS,
    ...WORK_LOOPS,
  };
  it.each(Object.entries(loops))("%s", async (_, loop) => {
    const { outcome, all, most } = await play(loop);
    const allowed = loop.settings?.callsWithoutProgress ? FEW_MOST : TEAM_MOST;
    expect(
      most <= MEMBER_MOST || all <= allowed,
      `${all} calls, ${most} of one member: ${outcome.reason}`,
    ).toBe(true);
  });
});

describe("long work is not stopped", () => {
  it.each(Object.entries({ ...HONEST, ...MORE_LONG_WORK, ...OTHER_LONG_WORK }))("%s", async (_, work) => {
    const { outcome, team } = await play(work);
    const board = await team.store.board.tasks();
    const warned = (await team.events("warning.raised")).map((one) => "text" in one && one.text);
    expect(
      outcome,
      JSON.stringify([warned, board.filter((t) => t.status !== "completed").slice(0, 2)]),
    ).toMatchObject({ reason: "concluded", failed: 0, unfinished: 0 });
  });
});
