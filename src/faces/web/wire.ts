/** The values that the server and the page exchange. */

import type { Mail } from "../../core/board/mail.ts";
import type { Outline } from "../../core/board/task.ts";
import type { Entry } from "../../core/conversation/chat.ts";
import type { Event } from "../../core/event.ts";
import type { LoginWindow } from "../../core/limits/window.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { MemberRow } from "../../core/picture/member.ts";
import type { RedBaseShown } from "../../core/picture/picture.ts";
import type { OpenQuestion } from "../../core/picture/questions.ts";
import type { NoteKind } from "../../core/plan/facts.ts";
import type { PlanData, PlanTexts } from "../../core/plan/plan-views.ts";
import type { Choices } from "../../core/settings/choices.ts";
import type { TaskHistory } from "../../core/views/board.ts";
import type { ReviewComment } from "../../core/views/outcome.ts";
import type { ListedTeam } from "../../core/views/ps.ts";
import type { QuestionData } from "../../core/views/request.ts";
import type { Called } from "../../core/views/shown-call.ts";
import type { TeamsData } from "../../core/views/teams.ts";

/** Everything the page needs to begin; the stream continues at `cursor`. */
export type Snapshot = {
  readonly team: string;
  /** Its folder. */
  readonly project: string;
  readonly cursor: string;
  readonly now: number;
  readonly tasks: readonly Outline[];
  readonly members: readonly MemberRow[];
  readonly questions: readonly OpenQuestion[];
  /** The last `task.queued` or `gate.started` of tasks that have not landed since. */
  readonly inLine: readonly Event[];
  /** Recordings of older programs have none. */
  readonly logins?: readonly LoginWindow[];
  readonly redBase?: RedBaseShown | null;
};

export type Overview = {
  readonly teams: TeamsData["teams"];
  /** For looking only. */
  readonly readOnly: boolean;
  /** Runs can be started from the page. */
  readonly mayStart: boolean;
  readonly project: string;
  readonly version: string;
  /** The team to show where the address names none. */
  readonly first: string;
};

/** The last run of a team. */
export type RunGlance = {
  /** The first words of what the person asked for; "" where nothing was said. */
  readonly goal: string;
  readonly began: number | null;
  readonly ended: number | null;
  readonly worked: number | null;
  /** Spent in the runs before it. */
  readonly usdBefore: number;
};

/** The link with which other people look at one team. */
export type ShareLink = { readonly until: number };

/** A team in the list of all. */
export type TeamGlance = ListedTeam & {
  /** Its name in addresses; null where it cannot be opened. */
  readonly key: string | null;
  /** The first words of what the person asked for in the last run; "" where nothing was said. */
  readonly goal: string;
  /** In milliseconds; null where nobody works, or it is not known yet. */
  readonly left: number | null;
  /** A few of its open questions, and of its members at work, each with the last line of what it prints, says or runs. */
  readonly asks: readonly { readonly by: string; readonly text: string }[];
  readonly atWork: readonly {
    readonly who: string;
    readonly task: { readonly id: number; readonly subject: string } | null;
    readonly line: string;
  }[];
};
export type AllTeams = { readonly now: number; readonly teams: readonly TeamGlance[] };

/** A page of facts, and where the next one begins. */
export type FactPage = { readonly events: readonly Event[]; readonly cursor: string; readonly more: boolean };
/** A page of the journal read backwards, newest last. `before`: where the page before it ends; null at the beginning. */
export type JournalPage = { readonly events: readonly Event[]; readonly before: number | null };

/** A call that waits for permission, as its member made it: shown as a diff or whole. */
export type Question = QuestionData & { readonly tool?: string; readonly call?: Called | undefined };

/** A part of a conversation, in its order. */
export type ConversationPage = {
  readonly name: string;
  readonly entries: readonly { readonly seq: number; readonly at: number; readonly entry: Entry }[];
  readonly more: boolean;
  /** With the end of a conversation: how many subagents the member has had. */
  readonly subagents?: number;
};
export type MailPage = { readonly mail: readonly Mail[] };

/** The present act of a member, read from the end of its conversation. */
export type Doing = {
  readonly name: string;
  /** The call that has no answer yet. */
  readonly call: { readonly tool: string; readonly text: string; readonly at: number } | null;
  /** The last thing it said, and the end of its last result. */
  readonly said: string;
  readonly output: string;
  /** Tokens of its last request: how much its context holds. */
  readonly context: number | null;
  /** The share of its window that is filled; null where the window is not known. */
  readonly filled: number | null;
  readonly jobs: readonly { readonly id: number; readonly command: string; readonly at: number }[];
};

/** A task in its panel. `around`: turns and phases of its owners; `spent`: by them on it. */
export type ShownTask = TaskHistory & {
  readonly around: readonly Event[];
  readonly spent: { readonly turns: number; readonly tokens: number; readonly usd: number };
};

/** `isEdited`: an edit of this page's server can be taken back. */
export type ShownPlan = PlanData & { readonly isEdited: boolean };
/** `where`: in words; "" for none. */
export type ShownChange = { readonly where: string; readonly diff: string; readonly cut: boolean };

/** Turns in order of time: the number of the name, the end, and the milliseconds that it took. */
export type TurnTimes = {
  readonly names: readonly string[];
  readonly turns: readonly (readonly [who: number, to: number, ms: number])[];
};

export type Commit = {
  readonly commit: string;
  readonly message: string;
  readonly diff: string;
  readonly cut: boolean;
};

/** An action that the page requests. */
export type Act =
  | { readonly do: "add"; readonly task: TaskFields }
  | { readonly do: "edit"; readonly id: number; readonly task: Partial<TaskFields> }
  /** One place sooner (-1) or later in the plan; fields of a planned task; a planned task goes; the last of these is taken back. */
  | { readonly do: "move"; readonly id: number; readonly by: 1 | -1 }
  | { readonly do: "replan"; readonly id: number; readonly texts: PlanTexts }
  | { readonly do: "unplan"; readonly id: number }
  | { readonly do: "unedit" }
  | { readonly do: "retry" | "release"; readonly id: number }
  | { readonly do: "cancel"; readonly id: number; readonly reason: string }
  | { readonly do: "send"; readonly to: string; readonly text: string; readonly urgent: boolean }
  /** Takes a message back that nobody has read. */
  | { readonly do: "withdraw"; readonly id: number }
  | { readonly do: "stop"; readonly who: string; readonly now: boolean; readonly reason: string }
  | {
      readonly do: "answer";
      readonly request: string;
      /** "yes", "no", "session" or "always" with a rule in `text`, the number of an option; "" where `text` is the answer. */
      readonly answer: string;
      readonly text: string;
    }
  | {
      readonly do: "start";
      readonly what: "goal" | "plan" | "runbook" | "resume" | "spawn";
      /** The goal, the text of a plan, or the file of a runbook. */
      readonly text: string;
      readonly options: StartOptions;
    }
  | { readonly do: "assign"; readonly id: number /** "": anybody */; readonly who: string }
  | { readonly do: "complete" | "fail"; readonly id: number; readonly text: string }
  | { readonly do: "take"; readonly id: number }
  /** The changes of files for a task; `redo`: what the last undo of the team took. */
  | { readonly do: "undo"; readonly id: number; readonly conversation: boolean }
  | { readonly do: "redo" }
  | {
      readonly do: "land";
      readonly id: number;
      readonly decision: "move" | "drop" | "land";
      readonly place: number;
    }
  | {
      readonly do: "cron";
      readonly expression: string;
      readonly text: string;
      readonly to: string;
      readonly task: boolean;
    }
  | { readonly do: "uncron"; readonly id: number }
  | { readonly do: "note"; readonly text: string; readonly kind: NoteKind }
  /** `text`: the new words; "": the note goes. */
  | { readonly do: "renote"; readonly id: number; readonly text: string }
  | {
      readonly do: "steer";
      readonly what: "mode" | "model" | "effort" | "budget" | "interrupt" | "compact" | "anew";
      /** "": all members. */
      readonly who: string;
      readonly value: string;
    }
  /** `at`: as `ekiden fork --at` takes it. `name`: "" lets it choose one. */
  | { readonly do: "fork"; readonly at: string; readonly name: string }
  | { readonly do: "review"; readonly comments: readonly ReviewComment[] };
/** The present choices of the process that runs the team. */
export type Steering = {
  readonly mode: string;
  readonly members: readonly {
    readonly who: string;
    readonly model: string;
    /** "": as the settings say. */
    readonly effort: string;
    readonly note: string;
  }[];
  readonly offered: readonly string[];
  readonly usd: number;
  /** Null: no limit. */
  readonly mostUsd: number | null;
  /** The words for a limit that is used up. */
  readonly usedUp: string | null;
  readonly sandbox: string;
};
/** An option that is left out has the value of the settings. */
export type StartOptions = {
  readonly model?: string;
  /** The name of an agent program. */
  readonly lead?: string;
  readonly effort?: string;
  readonly teammates?: number;
  readonly budgetUsd?: string;
  readonly worktrees?: boolean;
  /** Show the board of a goal before anything of it begins. */
  readonly planFirst?: boolean;
  readonly mode?: Mode;
  /** Make the empty folder a repository first. */
  readonly repository?: boolean;
  /** Ask the person before each command, also one that a rule allows. */
  readonly ask?: boolean;
  /** Use what the project brings, this once. */
  readonly trust?: boolean;
};
export type Runbooks = readonly { readonly file: string; readonly tasks: number }[];
/** The choices of the form for a start. */
export type StartForm = Choices & {
  readonly runbooks: Runbooks;
  /** Those of the last run; the others are of the settings. */
  readonly last: Choices | null;
  /** The model of a start that names none, by key or Ollama; "" where there is none, and then what to set. */
  readonly found: string;
  readonly missing: string;
  /** Those that are installed. `lacks`: what is missing, with what to do; "" for one that is ready. */
  readonly programs: readonly { readonly name: string; readonly title: string; readonly lacks: string }[];
  /** "auto" would give several members a branch for each task. */
  readonly isolates: boolean;
  /** What a person has changed the mode to during the last run. */
  readonly changedMode: Mode | null;
  /** Models to choose from. */
  readonly offered: readonly string[];
  /** The folder is empty and no repository: a start can make it one. */
  readonly isEmpty: boolean;
  readonly crons: readonly { readonly id: number; readonly line: string }[];
};
export type TaskFields = {
  readonly subject: string;
  readonly description: string;
  readonly blockedBy: readonly number[];
  readonly priority: number;
  readonly estimate: number;
  readonly role: string;
  readonly touches: readonly string[];
  readonly needsPlan: boolean;
};
/** The outcome of an act: a sentence either way. `team`: one that was made. */
export type Acted =
  | { readonly ok: true; readonly text: string; readonly team?: string }
  | { readonly ok: false; readonly code: string; readonly text: string };

/** A run in one file: the answers to the page's questions, by address. */
export type Recording = { readonly at: number; readonly answers: Readonly<Record<string, unknown>> };
