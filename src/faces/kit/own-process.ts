/** A run in a process and a session of its own: no terminal and no page ends it. Its output is in `.ekiden/output`, for this user alone. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.ts";
import { textIn } from "../../adapters/small-files.ts";
import { LEAD } from "../../core/ids.ts";
import { plainText } from "../../core/text/plain-text.ts";
import type { Store } from "../../ports/index.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { liveHosts } from "../../team/queries/hosts.ts";
import { outputFolder } from "../../team/queries/live.ts";

const SAID_MAX = 2_000;

export type OwnProcess = {
  readonly child: ChildProcess;
  /** Its exit code; null while it runs. */
  readonly ended: number | null;
};

/** The file for what a run prints; `of` tells the runs of a project apart. */
export function logFile(cwd: string, of: string): string {
  makeProjectFolder(cwd);
  const folder = outputFolder(cwd);
  makeFolder(folder, 0o700);
  return join(folder, `${of}.log`);
}

/** `words`: a command line of this program. */
export function startOwn(
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  words: readonly string[],
  log: string,
): OwnProcess {
  const [program = ""] = process.argv.slice(1);
  const out = openSync(log, "w", 0o600);
  try {
    const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
      ...{ cwd, env, detached: true },
      stdio: ["ignore", out, out],
    });
    const state: { readonly child: ChildProcess; ended: number | null } = { child, ended: null };
    child.on("error", () => {
      state.ended = 1;
    });
    child.on("exit", (code) => {
      state.ended = code ?? 1;
    });
    child.unref();
    return state;
  } finally {
    closeSync(out);
  }
}

/** The end of such a process's output, without control characters. A secret is taken out before it could be cut in two. */
export const saidIn = (log: string, redact = (text: string): string => text): string =>
  redact(plainText(textIn(log)))
    .trim()
    .slice(-SAID_MAX);

/** A live process runs the lead, and so the team. */
export async function hasLead({ roster }: Pick<Store, "roster">): Promise<boolean> {
  const lead = await roster.member(LEAD);
  if (!lead?.host) return false;
  return (await liveHosts({ roster })).some(({ id }) => id === lead.host);
}
