import type { z } from "zod";
import type { Entry } from "../core/conversation/chat.ts";
import type { Name } from "../core/ids.ts";
import type { IdleReason } from "../core/lifecycle.ts";
import type { MemberKind, Profile, Seat } from "../core/member.ts";
import type { Access } from "../core/permission/permission.ts";
import type { Task } from "../core/task.ts";
import type { Clock } from "./clock.ts";
import type { JobControl } from "./jobs.ts";
import type { Shell } from "./shell.ts";
import type { Store } from "./store.ts";

export type { Access };

export interface Tool<I = unknown> {
  /** snake_case verb. */
  readonly name: string;
  /** For the model; every token is paid in every request. */
  readonly description: string;
  input(): z.ZodType<I>;
  /** JSON Schema for the model, where the tool comes from elsewhere and brought its own; otherwise made from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly access: Access;
  /** Where one call may do less than `access` says: what this one does. */
  accessOf?(input: I): Access;
  /** What permission rules and feeds show of a call: the command, the path. */
  subject?(input: I): string;
  /** Whatever it throws becomes an error result for the model: the message must say what to do next. */
  run(input: I, ctx: ToolContext): Promise<string>;
}

/** Where and as whom an agent works: what its tools have of the world, call after call. */
export type Workplace = {
  readonly kind: MemberKind | "subagent";
  /** A subagent's is its member's. */
  readonly seat: Seat;
  readonly store: Store;
  readonly clock: Clock;
  readonly shell: Shell;
  /** How long a command may run that names no time of its own; the tool's default without it. */
  readonly commandTimeoutMs?: number | undefined;
  /** The folder file tools stay inside, absolute and without symlinks: the project, or the task's worktree. */
  readonly workspace: string;
  /** Where it will be while that task is in hand, if not the same for all. */
  readonly workspaceOf?: ((task: Task) => string) | undefined;
  /** Further folders that file tools may read, such as the one of spooled output. */
  readonly readable: readonly string[];
  readonly team: TeamControl;
  /** Background commands of this process, where there are any. */
  readonly jobs?: JobControl | undefined;
};

/** What a tool may use. One per call. */
export type ToolContext = Workplace & {
  readonly self: Name;
  /** Aborts when the call must end: stop, urgent mail, timeout. */
  readonly signal: AbortSignal;
  /** Ends the stint after this turn. */
  rest(reason: IdleReason): void;
  /**
   * The transcript entry that answers this call with `text`. A tool that hands it to a store operation has its answer written
   * in the same transaction as its effect; the turn then does not write it again.
   */
  answer(text: string): Entry;
  /** Why a file may not be used, whatever the call; null when it may. `path`: absolute, without symbolic links. */
  closed?: ((use: "read" | "write", path: string) => string | null) | undefined;
  /** Has the conversation summed up before the next turn. */
  compact?(): void;
};

/** What only the process that hosts the team can do. */
export interface TeamControl {
  /** Joins the roster and starts its life in this process. @throws EkidenError `bad_input` | `name_taken`. */
  spawn(profile: Omit<Profile, "kind">): Promise<void>;
  /** Asks a member to stop. Resolves when the request is mailed; the deadline is enforced by its host. */
  askToStop(name: Name, reason: string, by: Name): Promise<void>;
}
