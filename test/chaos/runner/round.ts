/** A round: a plan from the dice, host processes, faults at random moments, then calm, the end of the work and the checker. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault, History } from "../checker/history.ts";
import { type ClassName, INJECTIONS, type Injected } from "./faults.ts";
import { type Place, type StoreName, skipped, sqlitePlace, type WayName } from "./place.ts";
import type { Postgres } from "./postgres.ts";
import { type Dice, randomGraph, type WorkPlan } from "./work.ts";
import { newFolder, World } from "./world.ts";

export type Counts = Injected &
  Readonly<Record<"modelFaults" | "requests" | "tasks" | "letters" | "landings", number>>;
export type RoundReport = {
  readonly about: string;
  readonly counts: Counts;
  readonly faults: readonly Fault[];
  readonly history: History;
  /** The classes whose faults were injected. */
  readonly tried: ReadonlySet<ClassName>;
};

export type RoundOptions = {
  readonly store: StoreName;
  readonly classes: ReadonlySet<ClassName>;
  readonly dice: Dice;
  readonly schema: string;
  readonly postgres: Postgres | null;
};

const FAULTS_MS = 10_000;
const BOARD_MS = 300_000;
/** A round that stands still for so long does not end: a busy machine makes it slow, not silent. */
const SILENCE_MS = 300_000;
const END_MS = 900_000;
/** A task that failed keeps those behind it from ending, however often the team continues. */
const RESUMES = 10;
const LOOK_MS = 200;
/** Long enough for a busy machine; short where the lease itself is under test. */
const LEASE_MS = 15_000;
const SHORT_LEASE_MS = 3_000;
const MEMBERS = [
  ["alice", "bob"],
  ["carol", "dave"],
  ["erin", "frank"],
];

export async function round({ store, classes, dice, schema, postgres }: RoundOptions): Promise<RoundReport> {
  const dir = newFolder();
  const plan = planOf(classes, dice, join(dir, "effects.log"));
  const place: Place =
    (await postgres?.place(schema, wayOf(classes, dice), dice)) ??
    sqlitePlace(dir, classes.has("disk-full") && skipped("disk-full", store) === null);
  const leaseMs = classes.has("freeze-past-lease") || classes.has("stall") ? SHORT_LEASE_MS : LEASE_MS;
  const world = await World.open({ dir, place, plan, leaseMs, dice });
  const about = `${plan.isRunbook ? "runbook" : "model"}, ${plan.tasks} tasks${plan.landings ? `, landings${plan.onRemote ? " on a remote" : ""}` : ""}${plan.splits.size > 0 ? `, ${plan.splits.size} splits` : ""}`;
  try {
    const injected: Record<string, number> = {};
    const hosts = MEMBERS.slice(0, plan.members.length / 2);
    world.start("run", hosts[0] ?? []);
    await until(BOARD_MS, () => world.isOpen());
    for (const members of hosts.slice(1)) world.start("resume", members);
    const tried = await injectFaults(world, classes, dice, injected);
    await world.settle();
    await reachEnd(world, hosts[0] ?? []);
    const { faults, history } = await world.judge();
    return { about, faults, history, tried, counts: countsOf(world, history, injected) };
  } finally {
    await world.close();
  }
}

/** The way of programs to the database in a round: straight in one of two rounds, else one of the ways that the classes name. */
function wayOf(classes: ReadonlySet<ClassName>, dice: Dice): WayName | null {
  const ways = (["tls", "pooler", "network"] as const).filter((way) => classes.has(`database-${way}`));
  return dice() < 0.5 ? null : (ways[Math.floor(dice() * ways.length)] ?? null);
}

function planOf(classes: ReadonlySet<ClassName>, dice: Dice, effectsLog: string): WorkPlan {
  const tasks = 8 + Math.floor(dice() * 9);
  const isRunbook = dice() < 0.34;
  const landings = classes.has("landings") && dice() < 0.5;
  // Where takeovers do not hold yet, only a host that is alone may be killed.
  const needsSeveral = classes.has("takeover") || classes.has("freeze-past-lease");
  const isAlone = dice() < 0.5 && !needsSeveral;
  const hosts = isAlone ? 1 : 2 + Math.floor(dice() * (MEMBERS.length - 1));
  const red = new Set(
    Array.from({ length: tasks }, (_, i) => i + 1).filter(() => classes.has("red-gate") && dice() < 0.15),
  );
  const splits = new Set(
    Array.from({ length: tasks }, (_, i) => i + 1).filter(
      () => classes.has("splits") && !isRunbook && dice() < 0.15,
    ),
  );
  const onRemote = classes.has("push-cut") && landings && dice() < 0.4;
  return {
    onRemote,
    splits,
    tasks,
    after: randomGraph(dice, tasks),
    members: MEMBERS.slice(0, hosts).flat(),
    classes,
    isRunbook,
    landings,
    red,
    effectsLog,
    target:
      landings && classes.has("odd-targets") ? (TARGETS[Math.floor(dice() * TARGETS.length)] ?? []) : [],
  };
}

/** The target as it is in most repositories, and as it may be. */
const TARGETS = [
  [],
  [["pack-refs", "--all"]],
  [
    ["branch", "-m", "main", "trunk"],
    ["symbolic-ref", "refs/heads/main", "refs/heads/trunk"],
    ["symbolic-ref", "HEAD", "refs/heads/main"],
  ],
] as const;

/** For ten seconds, or until the board is done. */
async function injectFaults(
  world: World,
  classes: ReadonlySet<ClassName>,
  dice: Dice,
  injected: Record<string, number>,
): Promise<Set<ClassName>> {
  const tried = new Set<ClassName>();
  const injections = Object.entries(INJECTIONS).filter(([name]) => classes.has(name as ClassName));
  const end = performance.now() + FAULTS_MS;
  while (performance.now() < end) {
    await delay(100 + dice() * 1_200);
    if ((await world.unfinished()) === 0) break;
    const [name, chosen] = injections[Math.floor(dice() * injections.length)] ?? [];
    if (!chosen || !(await chosen.inject(world))) continue;
    tried.add(name as ClassName);
    injected[chosen.counts] = (injected[chosen.counts] ?? 0) + 1;
  }
  return tried;
}

/** The processes end by themselves when the board is done. Where none is left before that, one more continues, a few times. */
async function reachEnd(world: World, members: readonly string[]): Promise<void> {
  let left = RESUMES;
  let [seen, seenAt] = [-1, 0];
  await until(END_MS, async () => {
    const facts = await world.facts();
    if (facts !== seen) [seen, seenAt] = [facts, performance.now()];
    if (performance.now() - seenAt > SILENCE_MS) return true;
    if (world.alive.length > 0) return false;
    if ((await world.unfinished()) === 0 || left === 0) return true;
    left -= 1;
    world.start("resume", members);
    return false;
  });
}

/** Returns when it holds or the time is up: the judge reports processes that still run then. */
async function until(ms: number, look: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await delay(LOOK_MS))
    if (await look()) return;
}

function countsOf(world: World, history: History, injected: Readonly<Record<string, number>>): Counts {
  return {
    kills: 0,
    pauses: 0,
    restarts: 0,
    cuts: 0,
    fullDisks: 0,
    gitKills: 0,
    removals: 0,
    orders: 0,
    newerPrograms: 0,
    collections: 0,
    locks: 0,
    sockets: 0,
    ...injected,
    pushCuts: world.pushCuts,
    modelFaults: world.modelFaults,
    requests: world.requests,
    tasks: history.tasks.filter(({ status }) => status === "completed").length,
    letters: history.mail.length,
    landings: history.landings?.commits.length ?? 0,
  };
}
