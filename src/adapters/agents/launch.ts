/** Finds an agent program and starts it: confined, with its own files of settings and login, and without those of others. */

import { lstatSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { AGENT_FILES, type AgentFiles, emptyOf, steeringFiles } from "../../core/project/agent-files.ts";
import { type Confinement, EVERY_HOST } from "../../core/sandbox/sandbox.ts";
import { type AgentLine, withProgram } from "../../core/settings/agent-line.ts";
import { tried } from "../../core/tried.ts";
import type { Sandbox } from "../../ports/shell.ts";
import { makeFolder } from "../make-folder.ts";
import { isProgram, outsideProgram } from "../outside-programs.ts";
import { packagesOf } from "../packages-of.ts";
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
  /** Files of the project that would steer it and that the person has not agreed to; absolute. */
  readonly steering: readonly string[];
  /** Tells the person. */
  readonly warn: (text: string) => void;
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
  /** The names of the files by which a project steers it. */
  readonly steeredBy: readonly string[];
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
      `${known?.headless ? `Neither ${known.adapts} nor ${program} is` : `The agent program ${program} is not`} in PATH. ${known ? `Install it: npm install --global ${known.package}` : "Install it, or give its full path."}`,
    );
  const home = env.HOME || homedir();
  const own = known ? ownFolders(known, home, env) : {};
  return {
    asksByTool: dialect !== undefined,
    isStrong: known?.isStrong === true,
    login: (known && loginOf(known, env)) ?? "",
    remedy: known ? `Is ${known.title} logged in? ${known.login}` : "",
    variables: known ? [...known.variables, ...known.settings] : [],
    steeredBy: steeringFiles(known?.name ?? null),
    async start(place, host) {
      const { sandbox, tag, version } = place;
      const { active } = await sandbox.status();
      const title = known?.title ?? program;
      const run = confinedBy({ place, title, known, own, active, file });
      if (dialect) {
        const { HeadlessProgram } = await import("./headless.ts");
        return new HeadlessProgram({ tag, title, dialect, isConfined: active, program: run }, host);
      }
      const { AcpProgram } = await import("./acp.ts");
      return new AcpProgram(await run(args), { tag, version, title }, host);
    },
  };
}

type Start = {
  readonly place: LaunchPlace;
  readonly file: string;
  readonly title: string;
  readonly known: Preset | undefined;
  readonly own: AgentFiles["own"];
  readonly active: boolean;
};

/** Makes a program of its arguments and further variables. @throws EkidenError `not_trusted` */
function confinedBy({ place, file, title, known, own, active }: Start) {
  const { cwd, readOnly, env, sandbox, tag, board, warn } = place;
  const outer = env.EKIDEN_JOB ? `${env.EKIDEN_JOB}:` : "";
  const covered = unseen(place, title, active);
  // Only what is there can be opened in the sandbox, and a program that was never used has no folder yet.
  // In a home that cannot be written the program says itself what it misses.
  const writable = Object.keys(own);
  for (const path of writable) tried(() => makeFolder(path, 0o700), null);
  const kept = Object.entries(own).flatMap(([folder, names]) => keptIn(folder, names));
  const agreed = place.steering.length === 0 ? known?.setsAgreed : {};
  const sets = { ...known?.sets, ...(active && known?.setsConfined), ...agreed, EKIDEN_JOB: outer + tag };
  // Its vendor must be reached, so every host is open to it and to its commands, but for this machine.
  const hosts = [`127.0.0.1:${board}`, ...addressesIn(env, known?.settings ?? [])];
  const wanted: Confinement = {
    ...{ network: [EVERY_HOST], hosts, writable, kept, covered, readable: packagesOf([file], cwd) },
    ...(readOnly && { readOnly: "workspace" }),
  };
  return async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const whole = await sandbox.confineWhole({ file, args, cwd, env: { ...env, ...sets, ...more } }, wanted);
    const ended = async (): Promise<string | null> => {
      const aside = await whole.ended();
      if (aside !== null) warn(`${title}: ${aside}`);
      return aside;
    };
    return { ...whole, ended };
  };
}

/** What the program must not see. @throws EkidenError `not_trusted` where nothing would hide it */
function unseen({ steering, warn }: LaunchPlace, title: string, isConfined: boolean): readonly string[] {
  if (steering.length === 0) return [];
  const files = steering.map((path) => (lstatSync(path).isSymbolicLink() ? `${path} (a link)` : path));
  const agree = "Read them. To agree until they change: ekiden trust. To agree once: --trust.";
  const isHidden = isConfined && files.every((file, nth) => file === steering[nth]);
  if (!isHidden)
    throw new EkidenError(
      "not_trusted",
      `${title} was not started: it would use project files that you have not agreed to, ${isConfined ? "and links cannot be hidden from it" : "and without a sandbox they cannot be hidden from it"}: ${files.join(", ")}. ${agree}`,
    );
  warn(
    `${title} does not see ${steering.join(", ")}: such files can make it run programs, and you have not agreed to them. ${agree}`,
  );
  return steering;
}

/** Those that are not there are made, empty, where that changes nothing: a program cannot make what is there and read-only. */
const keptIn = (own: string, names: readonly string[]): string[] => {
  const folder = tried(() => realpathSync(own), own); // often a link to a repository of settings
  return names.map((name) => {
    const path = join(folder, name.replace(/\/$/, ""));
    const empty = emptyOf(name);
    if (path.length < join(folder, name).length) tried(() => makeFolder(path, 0o700), null);
    if (empty !== null) tried(() => writeFileSync(path, empty, { flag: "wx", mode: 0o600 }), null);
    return path;
  });
};

/** The hosts of the addresses in these variables: a gateway of the person may be on this machine. */
const addressesIn = (env: Readonly<Record<string, string>>, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const url = tried(() => new URL(env[name] ?? ""), null);
    if (url === null || !/^https?:$/.test(url.protocol)) return [];
    return [`${url.hostname.replace(/^\[|\]$/g, "")}:${url.port || (url.protocol === "http:" ? 80 : 443)}`];
  });

/** The folders that the program writes for itself, with what stays as it is: in the home folder, and where its own variable says. */
function ownFolders({ name, loginFile }: Preset, home: string, env: NodeJS.ProcessEnv): AgentFiles["own"] {
  const { variable, path } = loginFile;
  const folders = Object.entries(AGENT_FILES[name].own);
  const named = variable === "" ? undefined : env[variable];
  const moved =
    named && isAbsolute(named) ? [[dirname(join(named, path)), folders[0]?.[1] ?? []] as const] : [];
  return Object.fromEntries([
    ...folders.map(([folder, names]) => [join(home, folder), names] as const),
    ...moved,
  ]);
}
