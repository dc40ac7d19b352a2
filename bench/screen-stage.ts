/** The program in a pseudo-terminal with a team that streams, for measurements of the full screen. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  type Answer,
  calls,
  type ModelCall,
  runs,
  says,
  startModelServer,
} from "../test/fixtures/model-server/index.ts";
import { InTerminal } from "../test/fixtures/pty.ts";
import { atEnd, BUILT, freshFolder } from "./stage.ts";

const SIZE = { columns: 120, rows: 40 };
/** 1,500 tokens of about four characters. */
export const WORDS = Array.from({ length: 1_000 }, (_, i) => (i % 40 === 39 ? "done.\n\n" : "words")).join(
  " ",
);
export async function open(
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
  const end = async (): Promise<void> => {
    terminal.kill();
    await terminal.ended;
    if (args[0] === BUILT)
      await once(
        spawn(process.execPath, [BUILT, "stop", "--now"], { cwd: folder, env: home, stdio: "ignore" }),
        "close",
      );
  };
  let ending: Promise<void> | undefined;
  ends.set(terminal, () => (ending ??= end()));
  atEnd(() => ended(terminal));
  return terminal;
}

const ends = new Map<InTerminal, () => Promise<void>>();

/** Its terminal is gone, and the process of its team, which would be measured with what follows. */
export const ended = async (terminal: InTerminal): Promise<void> => await ends.get(terminal)?.();

/** Looks without a pause: a poll would add to what is measured. */
export async function until(terminal: InTerminal, fits: () => boolean): Promise<number> {
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

export async function server(
  program: (request: ModelCall) => Answer,
): Promise<Readonly<Record<string, string>>> {
  const made = await startModelServer({ anthropic: program });
  atEnd(() => made.close().catch(() => {}));
  return made.env;
}

/** Each teammate streams, then runs a command, in turn. */
const busy = (request: ModelCall): Answer => {
  if (request.system.startsWith('You are "lead"')) return says("I see.");
  const isResult = request.messages.at(-1)?.content.some(({ type }) => type === "result") === true;
  return isResult
    ? { ...calls("bash", { command: `echo ${request.nth}; sleep 0.2` }), text: WORDS, paceMs: 15 }
    : runs("echo first");
};

/** Each teammate runs a short command, again and again. */
export const brisk = (request: ModelCall): Answer =>
  request.system.startsWith('You are "lead"')
    ? says("I see.")
    : runs(`echo ${request.nth} > part-${request.nth}; sleep 0.1`);

export async function team(count: number, folder = freshFolder(), program = busy): Promise<InTerminal> {
  const env = await server(program);
  const args = ["--teammates", String(count), "--permission-mode", "bypass", "--model", "anthropic/loopback"];
  const terminal = await open([BUILT, ...args], { ...env, EKIDEN_SANDBOX: "off" }, folder);
  await until(terminal, () => terminal.screen().includes("Sandbox"));
  for (let i = 1; i <= count; i += 1) {
    terminal.type(`/add Part ${i}\r`);
    await until(terminal, () => terminal.screen().includes(`Part ${i}`));
  }
  return terminal;
}
