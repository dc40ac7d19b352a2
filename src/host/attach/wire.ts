/**
 * The words between the process that runs a team and its faces: one JSON value a line, over a local socket. A face calls, the host answers,
 * and tells what it hears. Both sides are the same version of the program; another one is refused at the first line.
 */
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.ts";
import { scopeOf } from "../../adapters/store/index.ts";
import { EkidenError, type ErrorCode, isEkidenError, messageOf, notPermitted } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { LiveOutput } from "../../core/text/live-output.ts";
import type { Delta } from "../../ports/index.ts";
import { userFolder } from "../../project/own-folders.ts";
import { storeUrl } from "../../project/store-address.ts";
import type { Limits } from "../money/spent.ts";
import type { Outcome } from "../outcome.ts";
import type { TeamHost } from "../team-host.ts";

/** Raised with every change that an older face or host would not understand. */
export const PROTOCOL = 2;

/** The functions of a host that a face calls as they are. */
export const PASSED = [
  ...([
    "tellLead",
    "passed",
    "takeUp",
    "stop",
    "offeredModels",
    "efforts",
    "sandbox",
    "runsUnasked",
  ] as const),
] satisfies readonly (keyof TeamHost)[];
export type Passed = (typeof PASSED)[number];

/** The calls of a face. JSON has null for an argument that is not given. */
export type Calls = Pick<TeamHost, Passed> & {
  /** Resolves when the members have started. */
  started(): void;
  /** Shows that the process runs. */
  answers(): void;
  /** The face leaves. The team stops, unless another face looks on. */
  end(): "stopped" | "goes on";
};
export type CallName = keyof Calls;

/** The state of a host as its faces keep it. */
export type HostState = {
  readonly mode: Mode;
  readonly models: readonly (readonly [who: Name, spec: string, window: number])[];
  /** Null: no limit. JSON has no Infinity. */
  readonly limits: { readonly [K in keyof Limits]: number | null };
  /** The words for a limit that is used up while the members wait. */
  readonly usedUp: string | null;
};

export type Fault = { readonly code: ErrorCode; readonly message: string };
/** The host cannot be used, for good or, with `retry`, because it is about to end. */
export type Refusal = Fault & { readonly retry?: boolean };

export type FromFace =
  | { readonly hello: number; readonly version: string }
  | { readonly id: number; readonly call: CallName; readonly args: readonly unknown[] };

export type FromHost =
  | {
      readonly welcome: HostState;
      readonly pid: number;
      /** The texts and output that a new face has missed. */
      readonly now: readonly LiveOutput[];
      /** The options that the team was started with. */
      readonly flags: Readonly<Record<string, unknown>>;
      /** It works for a run, which does not end with its faces. */
      readonly isRun: boolean;
    }
  | { readonly refused: Refusal }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: Fault }
  | { readonly state: HostState }
  | { readonly delta: Delta; readonly who: Name }
  | { readonly output: string; readonly command: string; readonly who: Name }
  | { readonly notice: string }
  | { readonly done: Omit<Outcome, "error"> & { readonly error?: Fault } };

export const faultOf = (error: unknown): Fault =>
  isEkidenError(error)
    ? { code: error.code, message: error.message }
    : { code: "tool_failed", message: messageOf(error) };

export const errorOf = ({ code, message }: Fault): EkidenError => new EkidenError(code, message);

/** Longer lines come from no program of ours. */
const LINE_MAX = 32 * 1024 * 1024;

/** Calls `take` for each line. A peer that sends something else is left. */
export function readLines<T>(socket: Socket, take: (message: T) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    try {
      if (rest.length > LINE_MAX) throw new Error("a line without an end");
      for (const line of lines) take(JSON.parse(line) as T);
    } catch {
      socket.destroy();
    }
  });
}

export const send = (socket: Socket, message: FromFace | FromHost): void => {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
};

/** The kernel's limit is 104 bytes on macOS, 108 on Linux, with a zero at the end. */
const PATH_MAX = 100;

/**
 * The socket of the host of a team on this machine. It is in the person's own folder, which no command in the sandbox sees: a process
 * that can connect steers the team as the person. Where that path is too long for a socket, in a folder of this user among the temporary files.
 * A run of one piece of work (`of` "run") has another one than a conversation: terminals do not join it, pages call it.
 * @throws EkidenError `not_permitted` where another user has made that folder
 */
export function socketPath(
  settings: Pick<Settings, "store" | "team">,
  cwd: string,
  of: "host" | "run" = "host",
): string {
  const whose = `${scopeOf(storeUrl(settings, cwd), settings.team)}\n${cwd}${of === "run" ? "\nrun" : ""}`;
  const name = `${createHash("sha256").update(whose).digest("hex").slice(0, 16)}.sock`;
  const usual = join(userFolder(), "hosts", name);
  if (Buffer.byteLength(usual) <= PATH_MAX) {
    makeFolder(dirname(usual), 0o700);
    return usual;
  }
  const { uid } = userInfo();
  const folder = join(tmpdir(), `ekiden-${uid}`);
  makeFolder(folder, 0o700);
  const { uid: owner, mode } = lstatSync(folder);
  if ((uid !== -1 && owner !== uid) || (mode & 0o077) !== 0)
    throw notPermitted(
      `${folder} is not yours alone, and the socket of the team would be there. Remove it, or set XDG_CONFIG_HOME to a shorter path.`,
    );
  return join(folder, name);
}
