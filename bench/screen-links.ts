/** (o) What the full screen writes for the lead's stream, and how long a key takes over a slow link that carries it. */
import { setTimeout as sleep } from "node:timers/promises";
import { says } from "../test/fixtures/model-server/index.ts";
import type { InTerminal } from "../test/fixtures/pty.ts";
import { type Figure, figure, median } from "./measure.ts";
import { ended, open, server, until, WORDS } from "./screen-stage.ts";
import { BUILT } from "./stage.ts";

/** About 1.6 kB of text a second. */
const PACED = { paceMs: 12 };
const WATCHED_MS = 4_000;
const LINK_BYTES_PER_MS = 5;
const KEYS = 12;

export const onLinks = async (): Promise<Figure[]> => [await bytes(), await slowLink()];

async function streaming(): Promise<InTerminal> {
  const env = await server(() => says(`${WORDS} ${WORDS} The end.`, PACED));
  const terminal = await open([BUILT, "--model", "anthropic/loopback"], env);
  // A terminal answers when it has come to a question.
  terminal.grid.onAsked = () => terminal.type("\x1b[0n");
  await until(terminal, () => terminal.screen().includes("Sandbox"));
  terminal.type("go\r");
  await until(terminal, () => terminal.screen().includes("words words"));
  await sleep(1_000);
  return terminal;
}

async function bytes(): Promise<Figure> {
  const terminal = await streaming();
  const before = terminal.output.length;
  const began = performance.now();
  await sleep(WATCHED_MS);
  const value = (terminal.output.length - before) / (performance.now() - began);
  await ended(terminal);
  return figure({
    item: "o",
    name: "the lead's stream of about 1.6 kB/s: written",
    unit: "kB/s",
    value,
    budget: { of: "value", atMost: 15 },
  });
}

async function slowLink(): Promise<Figure> {
  const terminal = await streaming();
  slowDown(terminal);
  await sleep(WATCHED_MS);
  const samples: number[] = [];
  let typed = "";
  for (let i = 0; i < KEYS; i += 1) {
    typed += "qzxjkvbw"[i % 8] ?? "";
    const began = performance.now();
    terminal.type(typed.slice(-1));
    while (!terminal.screen().includes(typed)) await sleep(2);
    samples.push(performance.now() - began);
    await sleep(100 + 37 * i);
  }
  await ended(terminal);
  return figure({
    item: "o",
    name: "a key on the screen over 5 kB/s while the lead streams, worst",
    unit: "ms",
    value: Math.max(...samples),
    budget: { of: "value", atMost: 500 },
    samples,
    note: `median ${median(samples).toFixed(0)} ms`,
  });
}

/** Output arrives at the terminal at the rate of the link; the pseudo-terminal holds the rest. */
function slowDown(terminal: InTerminal): void {
  const { grid, pty } = terminal;
  const write = grid.write.bind(grid);
  let free = performance.now();
  grid.write = (data) => {
    pty.pause();
    free = Math.max(free, performance.now()) + data.length / LINK_BYTES_PER_MS;
    setTimeout(() => {
      write(data);
      pty.resume();
    }, free - performance.now());
  };
}
