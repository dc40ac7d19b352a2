/** Finds an agent program and starts it: confined, with its own files of settings and login, and without those of others. */

import { homedir } from "node:os";
import { dirname, extname, isAbsolute, join } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { EVERY_HOST } from "../../core/sandbox/sandbox.ts";
import { type AgentLine, withProgram } from "../../core/settings/agent-line.ts";
import { tried } from "../../core/tried.ts";
import type { Sandbox } from "../../ports/shell.ts";
import { makeFolder } from "../make-folder.ts";
import { isProgram, outsideProgram } from "../outside-programs.ts";
import type { AgentHost, RunningAgent } from "./agent.ts";
import { loginOf } from "./look.ts";
import { PRESETS, type Preset } from "./presets.ts";

export type LaunchPlace = {
  readonly cwd: string;
  /** It may not write there; a sandbox sees to it. */
  readonly readOnly: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: Sandbox;
  /** The mark of its processes: see src/adapters/process-table.ts. */
  readonly tag: string;
  /** The port of this machine by which it reaches the board. */
  readonly board: number;
  /** The version of this program. */
  readonly version: string;
};

export type FoundProgram = {
  /** It asks whether it may by a tool of ours. */
  readonly asksByTool: boolean;
  /** Its own model is one of the strongest. */
  readonly isStrong: boolean;
  /** Its account, as far as it can be told apart: the variable or the file of its login; "" where that is not known. */
  readonly login: string;
  /** For a person, where it does not work: the way to log in; "" where that is not known. */
  readonly remedy: string;
  /** The names of the variables that it gets besides the usual ones. */
  readonly variables: readonly string[];
  start(place: LaunchPlace, host: AgentHost): Promise<RunningAgent>;
};

/** @throws EkidenError `model_missing` with what to do when there is no such program */
export async function agentProgram(
  { spec, preset, command }: AgentLine,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<FoundProgram> {
  const known = preset === null ? undefined : PRESETS.find(({ name }) => name === preset);
  const [program, ...args] = known?.command ?? withProgram(command, isProgram);
  if (program === undefined)
    throw new EkidenError(
      "model_missing",
      `${quote(spec)} names no agent program. Known: ${PRESETS.map(({ name }) => name).join(", ")}; or acp:COMMAND.`,
    );
  const find = (name: string): string | null => outsideProgram(name, env.PATH, folder);
  const acp = program.startsWith("/") ? program : find(program);
  const dialect = acp === null ? known?.headless : undefined;
  const file = acp ?? (dialect && known?.adapts !== undefined ? find(known.adapts) : null);
  if (file === null)
    throw new EkidenError(
      "model_missing",
      `The agent program ${program} is not in PATH. ${known ? `Install it: npm install --global ${known.package}` : "Install it, or write its whole path."}`,
    );
  const home = env.HOME || homedir();
  const writable = known ? ownFolders(known, home, env) : [];
  return {
    asksByTool: dialect !== undefined,
    isStrong: known?.isStrong === true,
    login: (known && loginOf(known, env)) ?? "",
    remedy: known ? `Is ${known.title} logged in? ${known.login}` : "",
    variables: known ? [...known.variables, ...known.settings] : [],
    async start({ cwd, readOnly, env: own, sandbox, tag, version, board }, host) {
      const outer = own.EKIDEN_JOB ? `${own.EKIDEN_JOB}:` : "";
      // Only what is there can be opened in the sandbox, and a program that was never used has no folder yet.
      // In a home that cannot be written the program says itself what it misses.
      for (const path of writable) if (extname(path) === "") tried(() => makeFolder(path, 0o700), null);
      const { active } = await sandbox.status();
      const sets = { ...known?.sets, ...(active && known?.setsConfined) };
      const variables = { ...own, ...sets, EKIDEN_JOB: outer + tag };
      // Its vendor must be reached, so every host is open to it and to its commands, but for this machine.
      const hosts = [`127.0.0.1:${board}`, ...addressesIn(own, known?.settings ?? [])];
      const confined = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
        sandbox.confineWhole(
          { file, args: words, cwd, env: { ...variables, ...more } },
          { network: [EVERY_HOST], hosts, writable, ...(readOnly && { readOnly: "workspace" as const }) },
        );
      const title = known?.title ?? program;
      if (dialect) {
        const { HeadlessProgram } = await import("./headless.ts");
        return new HeadlessProgram({ tag, title, dialect, isConfined: active, program: confined }, host);
      }
      const { AcpProgram } = await import("./acp.ts");
      return new AcpProgram(await confined(args), { tag, version, title }, host);
    },
  };
}

/** The hosts of the addresses in these variables: a gateway of the person may be on this machine. */
const addressesIn = (env: Readonly<Record<string, string>>, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const url = tried(() => new URL(env[name] ?? ""), null);
    if (url === null || !/^https?:$/.test(url.protocol)) return [];
    return [`${url.hostname.replace(/^\[|\]$/g, "")}:${url.port || (url.protocol === "http:" ? 80 : 443)}`];
  });

/** The folders that the program writes for itself: in the home folder, and where its own variable says. */
function ownFolders({ folders, loginFile }: Preset, home: string, env: NodeJS.ProcessEnv): string[] {
  const { variable, path } = loginFile;
  const named = variable === "" ? undefined : env[variable];
  const moved = named && isAbsolute(named) ? [dirname(join(named, path))] : [];
  return [...folders.map((folder) => join(home, folder)), ...moved];
}
