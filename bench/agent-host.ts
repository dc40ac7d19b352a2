/**
 * A process that hosts a team with agent programs, as the bench tells it, one command a line: `begin` · `prompts N` · `memory`. The lead is a
 * script that waits.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { DEFAULT_SETTINGS, name, openHost, PERSON } from "ekiden";

const [folder = ".", count = "1", program = ""] = process.argv.slice(2);
const script = join(folder, "script.json");
writeFileSync(script, JSON.stringify([{ times: "any" }]));
const names = Array.from({ length: Number(count) }, (_, nth) => name(`a${nth + 1}`));
const agent = `acp:${process.execPath} ${program}`;

const host = await openHost({
  settings: {
    ...DEFAULT_SETTINGS,
    ...{ model: `scripted:${script}`, idleTimeoutMs: Number.POSITIVE_INFINITY, sandbox: "off" },
    teammates: names.map((one) => ({ name: one, role: "", agent })),
  },
  cwd: folder,
  env: { PATH: process.env.PATH, HOME: folder },
  interactive: true,
  trust: true,
});
const { store } = host;
await host.start({ interactive: true });

/** Until so many turns of a member are recorded. */
async function turns(who: (typeof names)[number], wanted: number): Promise<void> {
  for (;;) {
    const mark = store.wake.mark();
    const member = await store.roster.member(who);
    if (member && member.turns >= wanted && member.activity.phase !== "work") return;
    await store.wake.changed(mark, ["journal"], 1_000, new AbortController().signal);
  }
}

async function prompted(who: (typeof names)[number]): Promise<number> {
  const before = (await store.roster.member(who))?.turns ?? 0;
  const since = performance.now();
  await store.mail.send(PERSON, { to: who, body: { kind: "note", text: "Well?" } });
  await turns(who, before + 1);
  return performance.now() - since;
}

const COMMANDS: Readonly<Record<string, (arg: string) => Promise<object>>> = {
  /** Each program has started and answered once. */
  async begin() {
    for (const one of names) await prompted(one);
    return {};
  },
  async prompts(number) {
    const ms: number[] = [];
    for (let nth = 0; nth < Number(number); nth += 1) ms.push(await prompted(names[0] ?? name("a1")));
    return { ms };
  },
  async memory() {
    for (let i = 0; i < 3; i += 1) {
      await pause(50);
      globalThis.gc?.();
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rssMb: rss / 2 ** 20, usedMb: (heapUsed + external) / 2 ** 20 };
  },
};

for await (const line of createInterface(process.stdin)) {
  const [command = "", arg = ""] = line.split(" ");
  console.log(JSON.stringify(await COMMANDS[command]?.(arg)));
}
await host.close();
