/**
 * (o) The full screen in a pseudo-terminal: the first picture, the work for a streamed answer, memory with a large team, how long a
 * key takes to the screen while a team streams; and the same team watched by `ekiden top`.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { says } from "../test/fixtures/model-server/index.ts";
import { alternate, type Figure, figure, type Item, median, quantile } from "./measure.ts";
import { onLinks } from "./screen-links.ts";
import { withoutTerminal } from "./screen-lost.ts";
import { ended, open, server, team, until, WORDS } from "./screen-stage.ts";
import { BUILT, freshFolder } from "./stage.ts";

const PACED = { paceMs: 4 };
const KEYS = 200;
const LEAST_MB = 120;

export const screen: Item = async (quick) => [
  await firstPicture(quick ? 5 : 11),
  await streamed(),
  await large(),
  await keys(),
  ...(await onLinks()),
  ...(await top(quick ? 3 : 7)),
  ...(await withoutTerminal(quick ? 10_000 : 60_000)),
];

/** From the start of a program until `sign` is on its terminal. */
async function paint(args: readonly string[], sign: string, folder?: string): Promise<number> {
  const began = performance.now();
  const terminal = await open(args, {}, folder);
  const at = await until(terminal, () => terminal.output.includes(sign));
  await ended(terminal);
  return at - began;
}
const bareNode = (): Promise<number> => paint(["-e", "process.stdout.write('here')"], "here");

async function firstPicture(times: number): Promise<Figure> {
  const ekiden = (): Promise<number> => paint([BUILT, "--model", "runbook"], "─");
  await ekiden();
  const { a, b } = await alternate(times, ekiden, bareNode);
  return figure({
    item: "o",
    name: "ekiden → first picture",
    unit: "ms",
    value: median(a),
    floor: median(b),
    budget: { of: "ratio", atMost: 2.5 },
    samples: a,
    note: "floor: node that writes a word",
  });
}

const stat = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
/** Clock ticks are 10 ms on Linux. */
const cpuMs = (pid: number): number =>
  stat(pid)
    .slice(11, 13)
    .reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

async function streamed(): Promise<Figure> {
  const env = await server(() => says(`${WORDS} The end.`, PACED));
  const terminal = await open([BUILT, "--model", "anthropic/loopback"], env);
  await until(terminal, () => terminal.screen().includes("Sandbox"));
  const before = cpuMs(terminal.pty.pid);
  terminal.type("go\r");
  await until(terminal, () => terminal.screen().includes("The end."));
  const value = cpuMs(terminal.pty.pid) - before;
  return figure({
    item: "o",
    name: "1,500 streamed tokens: CPU",
    unit: "ms",
    value,
    budget: { of: "value", atMost: 1_000 },
  });
}

async function large(): Promise<Figure> {
  const terminal = await team(20);
  await sleep(10_000);
  const value = peakMb(terminal.pty.pid);
  await ended(terminal);
  return figure({
    item: "o",
    name: "20 teammates on the screen: memory",
    unit: "MB",
    value,
    budget: { of: "value", atMost: LEAST_MB },
  });
}

async function keys(): Promise<Figure> {
  const terminal = await team(12);
  await sleep(2_000);
  const samples: number[] = [];
  let typed = "";
  for (let i = 0; i < KEYS; i += 1) {
    const letter = String.fromCharCode(97 + (i % 26));
    typed = i % 100 === 0 ? letter : typed + letter;
    if (i % 100 === 0) {
      terminal.type("\x15");
      await sleep(100);
    }
    const shown = typed;
    const began = performance.now();
    terminal.type(letter);
    samples.push((await until(terminal, () => terminal.screen().includes(shown))) - began);
    await sleep(7 + (i % 13));
  }
  await ended(terminal);
  return figure({
    item: "o",
    name: "a key on the screen while 12 teammates stream, p99",
    unit: "ms",
    value: quantile(samples, 0.99),
    budget: { of: "value", atMost: 16 },
    samples,
    note: `median ${median(samples).toFixed(1)} ms, through a pseudo-terminal`,
  });
}

const WATCHED_MS = 10_000;

async function top(times: number): Promise<Figure[]> {
  const folder = freshFolder();
  const watched = await team(8, folder);
  const terminal = await open([BUILT, "top"], {}, folder);
  await until(terminal, () => terminal.screen().includes("running"));
  const before = cpuMs(terminal.pty.pid);
  await sleep(WATCHED_MS);
  const value = cpuMs(terminal.pty.pid) - before;
  await ended(watched);
  const picture = (): Promise<number> => paint([BUILT, "top"], "ekiden top", folder);
  const { a, b } = await alternate(times, picture, bareNode);
  return [
    figure({
      item: "o",
      name: "ekiden top → first picture",
      unit: "ms",
      value: median(a),
      floor: median(b),
      samples: a,
      note: "floor: node that writes a word",
    }),
    figure({
      item: "o",
      name: "ekiden top for 10 s while 8 teammates work: CPU",
      unit: "ms",
      value,
      budget: { of: "value", atMost: 1_000 },
    }),
  ];
}
