/** A tool that a model may call, and the context of a call. */
import type { z } from "zod";
import type { IdleReason } from "../core/board/lifecycle.ts";
import type { MemberKind, Profile, Seat } from "../core/board/member.ts";
import type { Claimed, Task } from "../core/board/task.ts";
import type { Entry } from "../core/conversation/chat.ts";
import type { ImageFile } from "../core/conversation/image.ts";
import type { Name, TaskId } from "../core/ids.ts";
import type { Access } from "../core/permission/permission.ts";
import type { Secrets } from "../core/text/secrets.ts";
import type { Shows } from "../core/views/shown-call.ts";
import type { Clock } from "./clock.ts";
import type { JobControl } from "./jobs.ts";
import type { ReadPdf } from "./pdf.ts";
import type { Shell } from "./shell.ts";
import type { Store } from "./store.ts";

export type { Access };

/**
 * The effect of a successful call on the board. Wraps act on this and never on the name of a tool.
 *
 * | effect    | the call                                                   | what wraps read of its input |
 * |-----------|------------------------------------------------------------|------------------------------|
 * | claims    | takes a task for the caller                                |                              |
 * | creates   | puts a task on the board                                   | `NewTaskInput`               |
 * | replans   | changes a task on the board                                |                              |
 * | completes | completes a task: needs an approved plan, hooks, a landing | `CompletionInput`            |
 * | ends      | fails the caller's task or gives it back                   |                              |
 * | splits    | gives the caller's task back and puts its parts there      | `SplitInput`                 |
 */
export type Effect = "claims" | "creates" | "replans" | "completes" | "ends" | "splits";
export type NewTaskInput = { readonly subject?: string; readonly description?: string };
export type SplitInput = { readonly parts?: readonly NewTaskInput[] };
/** `id`: without it, the caller's own task. `override`: somebody else's task, without a landing. */
export type CompletionInput = {
  readonly id?: TaskId;
  readonly result?: string;
  readonly override?: boolean;
};

export interface Tool<I = unknown> {
  /** snake_case verb. */
  readonly name: string;
  /** For the model; every token is paid in every request. */
  readonly description: string;
  input(): z.ZodType<I>;
  /** JSON Schema for the model, where the tool comes from elsewhere and brought its own; otherwise made from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly access: Access;
  /** The access of this call, where a call may do less than `access` says. */
  accessOf?(input: I): Access | Promise<Access>;
  readonly effect?: Effect;
  /** A call of it stands for the call that this returns, with the rules that hold for that tool; null: it runs itself. */
  passesOn?(input: unknown): { readonly tool: string; readonly input: unknown } | null;
  /** Not for subagents, although it only reads: it is about the team. */
  readonly membersOnly?: true;
  /** Its results hold tags of this program and escape what is in them. All other results are escaped as a whole. */
  readonly ownTags?: true;
  /** The part of a call that permission rules and feeds show: the command, the path. */
  subject?(input: I): string;
  /**
   * The files and folders that a call reads and that it writes, as its input names them: relative to the workspace, or absolute.
   * Every rule about files holds for each of them, whatever the tool is called. A tool with access `read` or `write` that uses no
   * file declares []; a tool that declares nothing is judged as if its subject were a path.
   */
  reads?(input: I): readonly string[];
  writes?(input: I): readonly string[];
  /** The shell line that a call runs. It is judged command by command, and runs in the sandbox. */
  line?(input: I): string;
  /** Its line does not run here, so the sandbox does not keep it from the network: it is judged as without one. */
  readonly elsewhere?: true;
  /** It can be called, and no model is told of it: for calls that models make out of habit. */
  readonly unlisted?: true;
  /** The fields that people see of its calls, where `core/views/shown-call.ts` does not know the names in its input. */
  readonly shows?: Shows;
  /** It looks at what continues by itself, such as a job: the same answer again is no repetition. */
  readonly watches?: true;
  /** The agent works from its results, as from the text of a file: a long conversation keeps them longest. */
  readonly lasting?: true;
  /**
   * The change that a call would make in a file, for the question whether it may; changes nothing itself. @throws as `run` where the
   * call cannot succeed, so that nobody is asked about it.
   */
  preview?(input: I, ctx: ToolContext): Promise<FileChange>;
  /** An error that it throws becomes an error result for the model: the message must say what to do next. */
  run(input: I, ctx: ToolContext): Promise<string>;
}

/** `path`: as people read it. `before`: null for a new file. */
export type FileChange = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
};

/** As which member and where an agent works: the same for all its calls. */
export type Workplace = {
  readonly kind: MemberKind | "subagent";
  /** A subagent has the seat of its member. */
  readonly seat: Seat;
  /** A subagent's own name ("alice/1"). It acts by its member's seat and its member pays, but its transcript is its own. */
  readonly subagent?: Name | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly shell: Shell;
  /** The timeout of a command that names none; without it, the default of the tool. */
  readonly commandTimeoutMs?: number | undefined;
  /** File tools stay inside this folder: the project or the task's worktree. Absolute, without symlinks. */
  readonly workspace: string;
  /** Takes secrets out of the results of calls, and finds those again that an edit names by their marks. */
  readonly secrets?: Pick<Secrets, "redact" | "restore"> | undefined;
  /** The workspace during a given task, where tasks have different ones. */
  readonly workspaceOf?: ((task: Task) => string) | undefined;
  readonly team: TeamControl;
  /** The text of PDF files. Without it they are named as binary. */
  readonly readPdf?: ReadPdf | undefined;
  /** Background commands of this process, if it can run any. */
  readonly jobs?: JobControl | undefined;
};

/** The things that a tool may use. One context per call. */
export type ToolContext = Workplace & {
  readonly self: Name;
  /** Further folders that file tools may read, such as the one of spooled output. */
  readonly readable: readonly string[];
  /** Aborts when the call must end: stop, urgent mail, timeout. */
  readonly signal: AbortSignal;
  /** The caller's task in progress. Read at most once a call: wraps share the look. */
  currentTask(): Promise<Claimed | null>;
  /** Ends the stint after this turn. */
  rest(reason: IdleReason): void;
  /** Shows the caller as idle for this reason until the returned function is called. */
  waitingFor(reason: IdleReason): Promise<() => Promise<void>>;
  /**
   * The transcript entry that answers this call with `text`. A tool that hands it to a store operation has its answer written
   * in the same transaction as its effect; the turn then does not write it again.
   */
  answer(text: string): Entry;
  /** Shows the model an image after the results of this reply. Absent where images cannot be kept. */
  showImage?: ((image: ImageFile) => Promise<void>) | undefined;
  /** The reason why no call may use this file; null when one may. `path`: absolute, without symbolic links. */
  closed?: ((use: "read" | "write", path: string) => string | null) | undefined;
  /** Runs `act` when the call has ended, with the hooks behind it. Without it, nothing runs behind the tool. */
  onEnd?(act: () => Promise<void>): void;
  /** Requests a summary of the conversation before the next turn. */
  compact?(): void;
};

/** Operations that only the process that hosts the team can do. */
export interface TeamControl {
  /** Adds a member and runs it in this process. @throws EkidenError `bad_input` | `name_taken`. */
  spawn(profile: Omit<Profile, "kind">): Promise<void>;
  /** Asks a member to stop. Resolves when the request is mailed; the member's host enforces the deadline. */
  askToStop(name: Name, reason: string, by: Name): Promise<void>;
  /** Not fresh: this process was frozen or cut off from the store, and its members may run elsewhere. */
  readonly lease?: { readonly isFresh: boolean };
  /** The members that this process runs. */
  readonly names?: readonly Name[];
}
