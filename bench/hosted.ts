/**
 * A process that hosts a team, as the bench tells it, one command a line: `memory` · `cpu MS` · `wake` · `next`. Its model is a
 * script that answers at once, so that what is measured is the harness.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { DEFAULT_SETTINGS, name, openHost, PERSON } from "ekiden";
import { sharedNow } from "./stage.ts";

const [folder = ".", teammates = "1"] = process.argv.slice(2);
const script = join(folder, "script.json");
writeFileSync(
  script,
  JSON.stringify([
    {
      when: "<auto-claimed",
      text: "On it.",
      calls: [{ tool: "complete_task", input: { result: "done" } }],
      times: "any",
    },
    { times: "any" },
  ]),
);

/** When requests that follow a claim were made, and who waits for the next one. The script's words come as it is asked. */
const claims: number[] = [];
let onClaim = (): void => {};

const host = await openHost({
  settings: {
    ...DEFAULT_SETTINGS,
    model: `scripted:${script}`,
    teammates: Array.from({ length: Number(teammates) }, (_, i) => ({ name: name(`t${i + 1}`), role: "" })),
    idleTimeoutMs: Number.POSITIVE_INFINITY,
  },
  cwd: folder,
  env: {},
  interactive: true,
  onDelta: (_, { text }) => {
    if (text !== "On it.") return;
    claims.push(sharedNow());
    onClaim();
  },
});
const { store } = host;
await host.start({ interactive: true });
await rest();

/** Until everybody is idle, and a little longer, so that what follows an idling is over too. */
async function rest(): Promise<void> {
  while ((await store.roster.members()).some((member) => member.activity.phase === "work")) await pause(2);
  await pause(3 + Math.random() * 7);
}

async function nextClaim(): Promise<number> {
  for (;;) {
    const at = claims.shift();
    if (at !== undefined) return at;
    await new Promise<void>((resolve) => {
      onClaim = resolve;
    });
  }
}

const COMMANDS: Readonly<Record<string, (arg: string) => Promise<object>>> = {
  open: async () => ({}),
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
    const at = sharedNow();
    await store.board.add({ subject: "Answer at once" }, PERSON);
    const ms = (await nextClaim()) - at;
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
await host.close();
