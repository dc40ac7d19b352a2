/** The protocol explored to its bounds, the search shown to fail where a decision is wrong, and the store held against it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUZZ } from "../fixtures/fuzz.ts";
import { dice } from "../fixtures/simulation.ts";
import { takeAway } from "../fixtures/take-away.ts";
import { type Bounds, explore, operations } from "./explore.ts";
import {
  type Decisions,
  hostOf,
  MEMBERS,
  type Op,
  PROCESSES,
  PROTOCOL,
  START,
  type State,
  step,
} from "./model.ts";
import { expected, Stores } from "./store.ts";

const NONE: Bounds = { crashes: 0, expiries: 0, takeBacks: 0, letters: 0, tasks: 3, flights: false };

describe("every interleaving of three processes, three members and three tasks", () => {
  it.each<[string, Partial<Bounds>]>([
    ["with a lease that runs out while its process lives", { expiries: 1 }],
    ["with a crash at any point", { crashes: 1 }],
    [
      "with completions that arrive late and a task that is taken back",
      { flights: true, takeBacks: 1, tasks: 2 },
    ],
    [
      "with a crash, a lost lease and late completions of one task",
      { crashes: 1, expiries: 1, flights: true, tasks: 1 },
    ],
    ["with letters, a crash and a lost lease", { crashes: 1, expiries: 1, letters: 2, tasks: 0 }],
  ])("keeps every invariant %s, and can always be ended", (_, bounds) => {
    const { states, broken, stuck } = explore({ ...NONE, ...bounds });
    expect(broken).toBeNull();
    expect(stuck).toBe(0);
    expect(states).toBeGreaterThan(100);
  });
});

describe("the search finds what a wrong decision breaks", () => {
  const LOST: Partial<Bounds> = { expiries: 1, flights: true, tasks: 1 };
  it.each<[string, Partial<Decisions>, Partial<Bounds>, RegExp]>([
    [
      "no fence by attempt",
      { isCurrent: (t, c) => t.owner === c.member && t.status === "in_progress" },
      { flights: true, takeBacks: 1, tasks: 1 },
      /belongs to the claim/,
    ],
    [
      "no fence by owner",
      { isCurrent: (t, c) => t.attempt === c.attempt },
      { flights: true, tasks: 1, takeBacks: 1 },
      /belongs to the claim|completed once/,
    ],
    [
      "no fence at all",
      { isCurrent: () => true },
      { flights: true, takeBacks: 1, tasks: 1 },
      /belongs to the claim/,
    ],
    ["no fence by seat", { isSeated: () => true }, LOST, /has its seat/],
    ["a reaper that does not look at the lease", { isDead: () => true }, { tasks: 1 }, /host that lives/],
    [
      "a claim of a blocked task",
      { isReady: ({ status }) => status === "pending" },
      {},
      /blockers completed/,
    ],
    ["a completion that unblocks nothing", { unblocked: (open) => open }, {}, /open blockers/],
    [
      "a delivery that leaves its mail unread",
      { leftUnread: (unread) => unread },
      { letters: 1, tasks: 0 },
      /delivered once/,
    ],
  ])("%s", (_, wrong, bounds, what) => {
    const { broken } = explore({ ...NONE, ...bounds }, { ...PROTOCOL, ...wrong });
    expect(broken?.what).toMatch(what);
  });
});

describe("the store decides as the model does", () => {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-protocol-"));
  let stores: Stores;
  beforeAll(async () => {
    stores = await Stores.open(`sqlite:${join(folder, "team.db")}`);
  });
  afterAll(async () => {
    await stores.close();
    takeAway(folder);
  });

  const EVERYTHING: Bounds = { crashes: 2, expiries: 9, takeBacks: 3, letters: 6, tasks: 3, flights: true };

  /** Steps of the search, and a few that it leaves out because they are a choice among its own. */
  function choices(state: State): Op[] {
    const more: Op[] = [];
    for (let process = 0; process < PROCESSES; process += 1)
      if (state.lives[process] !== -1)
        for (let member = 0; member < MEMBERS; member += 1)
          more.push({ op: "claimNext", host: hostOf(state, process), member });
    return [...operations(state, EVERYTHING), ...more];
  }

  async function follow(
    length: number,
    pick: (ops: readonly Op[], state: State) => Op | undefined,
    decisions: Decisions = PROTOCOL,
  ): Promise<string[]> {
    const team = await stores.begin();
    const answers: string[] = [];
    const done: Op[] = [];
    let state = START;
    for (let at = 0; at < length; at += 1) {
      const op = pick(choices(state), state);
      if (!op) break;
      done.push(op);
      const next = step(state, op, decisions);
      const trace = done.map((one) => JSON.stringify(one)).join("\n");
      expect(await team.step(op, state), trace).toBe(next.answer);
      expect(await team.shown(), trace).toBe(expected(next.state));
      answers.push(next.answer.replace(/[#.\d,]+/g, ""));
      state = next.state;
    }
    return answers;
  }

  /** An operation's kind first, so that the many claims do not crowd out the rest. */
  const atRandom =
    (roll: () => number) =>
    (ops: readonly Op[]): Op | undefined => {
      const kinds = [...new Set(ops.map(({ op }) => op))];
      const kind = kinds[Math.floor(roll() * kinds.length)];
      const of = ops.filter(({ op }) => op === kind);
      return of[Math.floor(roll() * of.length)];
    };

  it("on long random ways through it", async () => {
    const roll = dice(FUZZ.seed);
    const seen = new Set<string>();
    for (let way = 0; way < 60; way += 1) {
      const answers = await follow(30, atRandom(roll));
      for (const answer of answers) seen.add(answer.trim());
    }
    // The ways met every answer that there is.
    const all =
      "# ready released ok null true stale_seat stale_claim taken blocked busy finished nothing time";
    for (const answer of all.split(" ")) expect([...seen]).toContain(answer === "#" ? "" : answer);
  });

  it("on every way of two steps after a claim", async () => {
    const claim: Op = { op: "claim", host: 0, member: 0, task: 0 };
    const second = choices(step(START, claim).state);
    for (const one of second) {
      const after = step(step(START, claim).state, one).state;
      for (const other of choices(after)) {
        if (other.op !== "complete" && other.op !== "claim" && other.op !== "reap" && other.op !== "adopt")
          continue;
        const ops = [claim, one, other];
        await follow(3, () => ops.shift());
      }
    }
  });

  it.each<[string, Partial<Decisions>]>([
    ["lets any host write as any member", { isSeated: () => true }],
    ["removes hosts whose lease runs", { isDead: () => true }],
    ["claims what is blocked", { isReady: ({ status }) => status === "pending" }],
    ["delivers mail again", { leftUnread: (unread) => unread }],
  ])("and a model that %s disagrees with it", async (_, wrong) => {
    const roll = dice(FUZZ.seed);
    const ways = async (): Promise<void> => {
      for (let way = 0; way < 20; way += 1) await follow(30, atRandom(roll), { ...PROTOCOL, ...wrong });
    };
    await expect(ways()).rejects.toThrow(/expected/);
  });
});
