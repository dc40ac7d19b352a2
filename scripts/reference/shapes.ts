/** The output of each command with --json, as types. A command that is missing here fails the test of the reference. */

import type { AgentProgram } from "../../src/adapters/agents/look.ts";
import type { Recorded } from "../../src/core/conversation/chat.ts";
import type { ContextData } from "../../src/core/conversation/context.ts";
import type { ErrorCode } from "../../src/core/errors.ts";
import type { FactOf, FactType } from "../../src/core/event.ts";
import type { ForgeRow } from "../../src/core/forge/views.ts";
import type { CompareData } from "../../src/core/fork/compare.ts";
import type { Instant } from "../../src/core/ids.ts";
import type { NotesData } from "../../src/core/plan/note-views.ts";
import type { PlanData } from "../../src/core/plan/plan-views.ts";
import type { ChangeRow, UndoneData } from "../../src/core/undo/views.ts";
import type { BoardData, TaskHistory } from "../../src/core/views/board.ts";
import type { CronsData } from "../../src/core/views/cron.ts";
import type { InboxData } from "../../src/core/views/inbox.ts";
import type { LandingsData } from "../../src/core/views/landing.ts";
import type { PruneData } from "../../src/core/views/prune.ts";
import type { PsData } from "../../src/core/views/ps.ts";
import type { QuestionsData } from "../../src/core/views/request.ts";
import type { TeamData } from "../../src/core/views/team.ts";
import type { TeamsData } from "../../src/core/views/teams.ts";
import type { TranscriptData } from "../../src/core/views/transcript.ts";
import type { Ordered } from "../../src/faces/commands/order.ts";
import type { Finding } from "../../src/faces/doctor/finding.ts";
import type { addCron, cancelCron } from "../../src/team/actions/crons.ts";
import type { Done } from "../../src/team/actions/done.ts";
import type { ForkedData } from "../../src/team/actions/fork/fork.ts";
import type { sendMail } from "../../src/team/actions/mail.ts";
import type { changeMember } from "../../src/team/actions/members.ts";
import type { addNote, changeNote } from "../../src/team/actions/notes.ts";
import type { stop } from "../../src/team/actions/stop.ts";
import type { addTask, editTask, reopenTask, retryTask } from "../../src/team/actions/tasks.ts";
import type { beginBoard, moveTask } from "../../src/team/plan/edit.ts";
import type { costs } from "../../src/team/queries/costs.ts";
import type { Summary } from "../../src/team/queries/summary.ts";

type Of<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;
type DataOf<F extends (...args: never[]) => Promise<Done>> = Of<F>["data"];

/** A fact of the journal with its own fields: see journal.md. */
interface JournalFact {
  readonly seq: number;
  readonly at: Instant;
  readonly type: FactType;
}
/** A fact with details that the journal itself does not hold. */
interface DetailedFact extends JournalFact {
  /** Of `mail.sent`. */
  readonly text?: string;
  /** Of `job.ended`. */
  readonly command?: string;
}
/** The end of a run: the fact `team.finished`, and the figures of the run. */
interface End extends FactOf<"team.finished">, Summary {}
type Fault = { readonly file: string; readonly why: string };

/** By command. A list is printed as JSON Lines: one value a line. */
export type Shapes = {
  prune: PruneData;
  backup: { readonly file: string; readonly bytes: number };
  /** The journal as it is written. The last line is the end of the run with its figures. */
  run: readonly (JournalFact | End)[];
  resume: readonly (JournalFact | End)[];
  forge: readonly (JournalFact | End)[];
  "forge --list": readonly ForgeRow[];
  worker: readonly (
    | JournalFact
    | { readonly at: number; readonly type: "worker.said"; readonly text: string }
  )[];
  mode: Ordered;
  model: Ordered;
  effort: Ordered;
  interrupt: Ordered;
  spawn: Ordered;
  compact: Ordered;
  stop: { readonly team: string; readonly members: Of<typeof stop> };
  add: DataOf<typeof addTask>;
  edit: DataOf<typeof editTask>;
  tasks: BoardData;
  "tasks ID": TaskHistory;
  compare: CompareData;
  fork: ForkedData;
  undo: UndoneData;
  "undo --list": readonly ChangeRow[];
  redo: UndoneData;
  retry: DataOf<typeof retryTask>;
  reopen: DataOf<typeof reopenTask>;
  member: DataOf<typeof changeMember>;
  cancel: DataOf<typeof retryTask>;
  release: DataOf<typeof retryTask>;
  take: DataOf<typeof retryTask>;
  done: DataOf<typeof retryTask>;
  fail: DataOf<typeof retryTask>;
  landings: LandingsData;
  "landings ID ACTION": {
    readonly task: number;
    readonly team: string;
    readonly branch: string;
    readonly kind: "move" | "drop" | "land";
    readonly place?: number;
  };
  team: TeamData;
  inbox: InboxData;
  send: DataOf<typeof sendMail>;
  requests: QuestionsData;
  answer: {
    readonly id: string;
    readonly kind: "plan" | "permission" | "shutdown";
    readonly by: string;
    readonly state: string;
    readonly answer: {
      readonly yes: boolean;
      readonly text: string;
      readonly always?: boolean;
    } | null;
  };
  log: readonly DetailedFact[];
  transcript: TranscriptData;
  "transcript --follow": readonly Recorded[];
  context: ContextData;
  cost: Of<typeof costs>;
  teams: TeamsData;
  ps: PsData;
  "run --detach": { readonly team: string; readonly pid: number; readonly log: string };
  "teams create": { readonly name: string; readonly created: true };
  "teams delete": { readonly name: string; readonly deleted: true };
  note: DataOf<typeof addNote>;
  notes: NotesData;
  "notes ACTION ID": DataOf<typeof changeNote>;
  plan: PlanData;
  "plan up ID": DataOf<typeof moveTask>;
  "plan begin": DataOf<typeof beginBoard>;
  cron: CronsData;
  "cron add": DataOf<typeof addCron>;
  "cron cancel": DataOf<typeof cancelCron>;
  import: {
    readonly layouts: readonly string[];
    readonly tasks: number;
    readonly members: number;
    readonly mail: number;
    /** Names that were changed, by the name in the files. */
    readonly names: Readonly<Record<string, string>>;
    readonly notes: readonly string[];
    readonly faults: readonly Fault[];
    /** The new ids of tasks, by the id in the files. */
    readonly ids?: Readonly<Record<string, number>>;
    readonly dryRun?: true;
  };
  export: {
    readonly dir: string;
    readonly entries: readonly string[];
    readonly tasks: number;
    readonly members: number;
    readonly mail: number;
  };
  web: { readonly address: string; readonly readOnly: boolean };
  "web --export": { readonly file: string; readonly bytes: number };
  agents: { readonly agents: readonly AgentProgram[] };
  doctor: { readonly ok: boolean; readonly findings: readonly Finding[] };
  trust: { readonly project: string; readonly agreed: readonly string[] };
  "trust --list": {
    readonly folders: readonly { readonly path: string; readonly items: readonly string[] }[];
    readonly waiting: readonly string[];
    readonly refused: readonly string[];
  };
  "trust --revoke": { readonly project: string; readonly revoked: boolean };
  init: { readonly path: string; readonly schema: string };
  /** Of every command that fails, on stdout. The exit code is not 0. */
  "a failure": { readonly error: { readonly code: ErrorCode | "internal"; readonly message: string } };
};

/** Commands that print no JSON: a script for a shell, and a screen. */
export const WITHOUT_JSON: readonly string[] = ["acp", "attach", "host", "completion", "mcp", "top"];
