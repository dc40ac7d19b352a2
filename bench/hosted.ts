/**
 * A process that hosts a team, as the bench tells it, one command a line: `hire N` · `memory` · `cpu MS` · `wake` · `next`.
 * Its model is local and answers at once, so that what is measured is the harness.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../src/adapters/clock.ts";
import { createShell } from "../src/adapters/shell/index.ts";
import { openStore } from "../src/adapters/store/index.ts";
import { composeAgent } from "../src/apps/compose.ts";
import { DEFAULT_TEAM, type HostId, LEAD, name, PERSON } from "../src/core/ids.ts";
import { DEFAULTS } from "../src/core/settings.ts";
import type { Model } from "../src/ports/index.ts";
import { Team } from "../src/runtime/team.ts";
import { sharedNow } from "./stage.ts";

const [folder = "."] = process.argv.slice(2);
const outputDir = join(folder, "output");
const url = `sqlite:${join(folder, "team.db")}`;
const store = await openStore({ url, team: DEFAULT_TEAM, clock: systemClock });
const shell = createShell({ outputDir });

/** Told the time of the next request that follows a claim. */
let onClaim: (at: number) => void = () => {};
let calls = 0;

/** Completes what it is given and says so. */
const model: Model = {
  spec: "bench",
  window: 1_000_000,
  async reply({ messages }) {
    const at = sharedNow();
    const text = (messages.at(-1)?.content ?? []).map((part) => ("text" in part ? part.text : "")).join("\n");
    const task = /<auto-claimed task="(\d+)"/.exec(text)?.[1];
    const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
    if (task === undefined)
      return { message: { role: "assistant", content: [] }, stop: "end", usage, usd: 0 };
    onClaim(at);
    calls += 1;
    const call = { type: "call", id: `c${calls}`, tool: "complete_task", input: { result: "done" } } as const;
    return { message: { role: "assistant", content: [call] }, stop: "calls", usage, usd: 0 };
  },
};

const team = new Team({
  store,
  shell,
  clock: systemClock,
  host: randomUUID() as HostId,
  machine: hostname(),
  pid: process.pid,
  isAlive: () => null,
  settings: { ...DEFAULTS, idleTimeoutMs: Number.POSITIVE_INFINITY, maxTurns: Number.POSITIVE_INFINITY, reapMs: 500 },
  agent: (profile, seat, control, life) =>
    composeAgent(
      {
        store,
        shell,
        clock: systemClock,
        settings: DEFAULTS,
        workspace: folder,
        outputDir,
        model: async () => model,
        ask: null,
        granted: new Set(),
      },
      profile,
      seat,
      control,
      life,
    ),
});
const profile = { role: "", model: "", prompt: "", needsPlan: false } as const;
await team.open();
await team.join({ ...profile, name: LEAD, kind: "lead" }, PERSON);

/** Until everybody is idle, and a little longer, so that what follows an idling is over too. */
async function rest(): Promise<void> {
  while ((await store.roster.members()).some((member) => member.activity.phase === "work")) await pause(2);
  await pause(3 + Math.random() * 7);
}

const nextClaim = (): Promise<number> =>
  new Promise((resolve) => {
    onClaim = resolve;
  });

let hired = 0;
const COMMANDS: Readonly<Record<string, (arg: string) => Promise<object>>> = {
  async hire(count) {
    for (let i = 0; i < Number(count); i += 1) {
      hired += 1;
      await team.join({ ...profile, name: name(`t${hired}`), kind: "teammate" }, PERSON);
    }
    await rest();
    return { hired };
  },
  async memory() {
    for (let i = 0; i < 3; i += 1) {
      await pause(50);
      globalThis.gc?.();
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rssMb: rss / 2 ** 20, usedMb: (heapUsed + external) / 2 ** 20 };
  },
  async cpu(ms) {
    await pause(1_000);
    const before = process.cpuUsage();
    await pause(Number(ms));
    const { user, system } = process.cpuUsage(before);
    return { cpuMs: (user + system) / 1000 };
  },
  /** A task from this process: how long until the request that follows its claim. */
  async wake() {
    const claimed = nextClaim();
    const at = sharedNow();
    await store.board.add({ subject: "Answer at once" }, PERSON);
    const ms = (await claimed) - at;
    await rest();
    return { ms };
  },
  /** A task from wherever: when the request came that follows its claim. */
  async next() {
    const at = await nextClaim();
    await rest();
    return { at };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command = "", arg = ""] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command]?.(arg)));
}
await team.suspend();
await store.close();
