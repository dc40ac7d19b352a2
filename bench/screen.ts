/**
 * (o) The full screen in a pseudo-terminal: the first picture, the work for a streamed answer, memory with a large team, how long a
 * key takes to the screen while a team streams; and the same team watched by `ekiden top`.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Answer,
  calls,
  type ModelCall,
  runs,
  says,
  startModelServer,
} from "../test/fixtures/model-server/index.ts";
import { InTerminal } from "../test/fixtures/pty.ts";
import { alternate, type Figure, figure, type Item, median, quantile } from "./measure.ts";
import { atEnd, BUILT, freshFolder } from "./stage.ts";

const SIZE = { columns: 120, rows: 40 };
/** 1,500 tokens of about four characters. */
const WORDS = Array.from({ length: 1_000 }, (_, i) => (i % 40 === 39 ? "done.\n\n" : "words")).join(" ");
const PACED = { paceMs: 4 };
const KEYS = 200;
const LEAST_MB = 120;

export const screen: Item = async (quick) => [
  await firstPicture(quick ? 5 : 11),
  await streamed(),
  await large(),
  await keys(),
  ...(await top(quick ? 3 : 7)),
];

async function open(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  folder = freshFolder(),
): Promise<InTerminal> {
  const home = { PATH: process.env.PATH ?? "", HOME: folder, XDG_CONFIG_HOME: folder, EKIDEN_TRUST: "1" };
  const terminal = new InTerminal(process.execPath, [...args], {
    ...SIZE,
    cwd: folder,
    env: { ...home, ...env },
  });
  atEnd(async () => {
    terminal.kill();
    await terminal.ended;
  });
  return terminal;
}

/** Looks without a pause: a poll would add to what is measured. */
async function until(terminal: InTerminal, fits: () => boolean): Promise<number> {
  if (fits()) return performance.now();
  return await new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`the screen never came:\n${terminal.screen()}`)), 60_000);
    const listening = terminal.pty.onData(() => {
      if (!fits()) return;
      clearTimeout(limit);
      listening.dispose();
      resolve(performance.now());
    });
  });
}

/** From the start of a program until `sign` is on its terminal. */
async function paint(args: readonly string[], sign: string, folder?: string): Promise<number> {
  const began = performance.now();
  const terminal = await open(args, {}, folder);
  const at = await until(terminal, () => terminal.output.includes(sign));
  terminal.kill();
  await terminal.ended;
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

async function server(program: (request: ModelCall) => Answer): Promise<Readonly<Record<string, string>>> {
  const made = await startModelServer({ anthropic: program });
  atEnd(() => made.close().catch(() => {}));
  return made.env;
}

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

/** Each teammate streams, then runs a command, in turn. */
const busy = (request: ModelCall): Answer => {
  if (request.system.startsWith('You are "lead"')) return says("I see.");
  const isResult = request.messages.at(-1)?.content.some(({ type }) => type === "result") === true;
  return isResult
    ? { ...calls("bash", { command: `echo ${request.nth}; sleep 0.2` }), text: WORDS, paceMs: 15 }
    : runs("echo first");
};

async function team(count: number, folder = freshFolder()): Promise<InTerminal> {
  const env = await server(busy);
  const args = ["--teammates", String(count), "--permission-mode", "bypass", "--model", "anthropic/loopback"];
  const terminal = await open([BUILT, ...args], { ...env, EKIDEN_SANDBOX: "off" }, folder);
  await until(terminal, () => terminal.screen().includes("Sandbox"));
  for (let i = 1; i <= count; i += 1) {
    terminal.type(`/add Part ${i}\r`);
    await until(terminal, () => terminal.screen().includes(`Part ${i}`));
  }
  return terminal;
}

async function large(): Promise<Figure> {
  const terminal = await team(20);
  await sleep(10_000);
  const value = peakMb(terminal.pty.pid);
  terminal.kill();
  return figure({
    item: "o",
    name: "20 teammates on the screen: memory",
    unit: "MB",
    value,
    budget: { of: "value", atMost: LEAST_MB },
  });
}

async function keys(): Promise<Figure> {
  const terminal = await team(8);
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
  terminal.kill();
  return figure({
    item: "o",
    name: "a key on the screen while 8 teammates stream, p99",
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
  await until(terminal, () => terminal.output.includes("running"));
  const before = cpuMs(terminal.pty.pid);
  await sleep(WATCHED_MS);
  const value = cpuMs(terminal.pty.pid) - before;
  terminal.kill();
  watched.kill();
  await Promise.all([terminal.ended, watched.ended]);
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
