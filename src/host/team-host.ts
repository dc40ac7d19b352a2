/** The interface of a team that this process runs, for the command line, the page and programs that use the library. */

import type { Order } from "../core/board/orders.ts";
import type { Image } from "../core/conversation/image.ts";
import type { MailId, Name } from "../core/ids.ts";
import type { Mode } from "../core/permission/mode.ts";
import type { Embedded } from "../core/project/runbook.ts";
import type { Effort } from "../core/settings/effort.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { LiveOutput } from "../core/text/live-output.ts";
import type { Cursor, Delta, Model, Store } from "../ports/index.ts";
import type { ProjectTrust } from "../project/trust/weigh.ts";
import type { Done } from "../team/actions/done.ts";
import type { Allowance } from "./money/spending.ts";
import type { Outcome } from "./outcome.ts";
import type { Asks } from "./permission/permission-questions.ts";
import type { RunbookWork, Work } from "./start-work.ts";

export type HostOptions = {
  /** `DEFAULT_SETTINGS` with your changes. */
  readonly settings: Settings;
  /** The project's folder. Ekiden keeps its own files in its `.ekiden`. */
  readonly cwd: string;
  /** Keys of providers and variables for MCP servers come from here. Of Ekiden's own variables only `EKIDEN_MODEL` is read, where the settings name no model. */
  readonly env: NodeJS.ProcessEnv;
  /** Gets the replies of models while they stream. */
  readonly onDelta?: (who: Name, delta: Delta) => void;
  /** Gets the output of commands while they run. */
  readonly onOutput?: (who: Name, command: string, text: string) => void;
  /** Told which model a member uses, when the member starts. */
  readonly onModel?: (who: Name, model: Pick<Model, "spec" | "window">) => void;
  /**
   * The caller shows the questions of members to the person: it finds them in `store.requests` and answers there, as `PERSON`. Without
   * it, and without the setting `permissionsTo`, a call that needs a permission is refused, with the rule that would allow it. A function
   * says it for now: the person may join and leave.
   */
  readonly asks?: Asks;
  /** Opens models instead of the providers: a scripted one, one of your own. Called once for each spec. */
  readonly openModel?: (spec: string) => Promise<Model>;
  /**
   * Whether what the project brings counts: its `.mcp.json`, the models of its roles, a store that another program made there.
   * `settings` are the caller's and always count. Default: what the person agreed to with `ekiden trust`.
   */
  readonly trust?: boolean | ProjectTrust;
  readonly embedded?: Embedded;
  /** The team exists and has its models. */
  readonly resume?: boolean;
  /** The lead waits for the person; otherwise the run ends when the team has finished. */
  readonly interactive: boolean;
  /**
   * Nothing of a goal's board begins before the person has approved it. "large": only where it has more than five tasks. False: also what
   * an earlier run holds begins.
   */
  readonly planFirst?: boolean | "large" | undefined;
  /** With the setting `forge`: a run does not end when its board is quiet; or it ends when all work waits for the forge. */
  readonly forge?: "stay" | "once" | undefined;
  /**
   * Told what is used up: then members wait before their next model call, until more is allowed or, where only the limits on calls are
   * reached, a word of the person. Without it the run ends.
   */
  readonly onUsedUp?: (text: string) => void;
  /** Gets sentences that the journal cannot hold now: the store is away. */
  readonly onNotice?: (text: string) => void;
};

/** A team that this process runs. The caller of `openHost` closes it. */
export type TeamHost = {
  /** The team's board, mail, journal and so on. Closed with the host. */
  readonly store: Store;
  /** The files of the project that calls have changed in its process, relative to it. Waits for the looks that commands which ended still have. */
  changed(): Promise<ReadonlySet<string>>;
  /** Where the journal of this run begins. */
  readonly since: Cursor;
  /** To be called once. Resolves when all members have started; `done` says how the run ends. */
  start(work: Work): Promise<void>;
  /** More work for a team that has started: the tasks of a runbook, and teammates for them where nobody of their names is there. */
  takeUp(work: RunbookWork): Promise<void>;
  /** Never rejects. */
  readonly done: Promise<Outcome>;
  /** Whether its end has begun. An earlier `team.finished` comes from another host. */
  isEnding(): boolean;
  /** All members stop at once and keep their tasks. `{ resume: true }` continues, here or in another process. */
  interrupt(): Promise<void>;
  /**
   * Asks a member to stop, or all of them, the lead last; resolves when they are gone. They have `shutdownDeadlineMs` to answer, with
   * `now` no time. @throws EkidenError `not_found`
   */
  stop(name?: Name, now?: boolean): Promise<void>;
  /** Mails a prompt of the person to the lead, if the person's hooks allow it. @throws EkidenError `not_permitted` with the hook's words */
  tellLead(prompt: string, images?: readonly Image[]): Promise<MailId>;
  /** A prompt of the person to any member, as the hooks change it. @throws as `tellLead` */
  passed(prompt: string, to: string): Promise<string>;
  /**
   * The person orders it: another mode, model or effort, a larger budget, an interrupt, a smaller conversation. It reaches the process that
   * runs the member, wherever that is, and holds until that one ends. Resolves when it is obeyed. @throws EkidenError `bad_input` with the
   * reason of that process | `not_found` | `tool_failed` (it does not answer)
   */
  order(what: Order): Promise<Done<unknown>>;
  /** The model of each member of this process. */
  readonly models: ReadonlyMap<Name, string>;
  /** The models that the providers in use offer, as "provider/name". Empty where they do not answer within two seconds. */
  offeredModels(): Promise<readonly string[]>;
  /** The effort of each member of this process; `note` says where its model has no such level. */
  efforts(): Promise<
    readonly { readonly name: Name; readonly effort: Effort | undefined; readonly note: string }[]
  >;
  /** The use of the team and its limits. A raised limit holds until the host is closed. */
  readonly spending: Allowance;
  /** The permission mode now. */
  readonly mode: Mode;
  /** The last words of replies that arrive now, and lines of commands that run, for a face that comes later. */
  heardNow(): readonly LiveOutput[];
  /** One sentence about the sandbox of members' commands. Where there is none, it says what to install. */
  sandbox(): Promise<string>;
  /** Whether commands run in the sandbox without a question. */
  runsUnasked(): Promise<boolean>;
  /** Ends everything that this process runs, as `interrupt` does. May be called again. */
  close(): Promise<void>;
};
