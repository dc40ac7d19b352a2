/** Opens a team in this process, starts its work, and concludes or interrupts it. `run`, `resume` and the REPL all use it. */

import { randomUUID } from "node:crypto";
import type { Order } from "../core/board/orders.ts";
import { isFinished, type Task } from "../core/board/task.ts";
import type { Image } from "../core/conversation/image.ts";
import { EkidenError } from "../core/errors.ts";
import { type HostId, LEAD, type MailId, type Name, PERSON, type TaskId } from "../core/ids.ts";
import type { Mode } from "../core/permission/mode.ts";
import type { LiveOutput } from "../core/text/live-output.ts";
import type { Cursor, Store } from "../ports/index.ts";
import { followNewTasks } from "../runtime/team/new-tasks.ts";
import { ProviderTimeout } from "../runtime/team/provider-timeout.ts";
import type { Team } from "../runtime/team/team.ts";
import { removeLanded } from "../runtime/wraps/worktrees.ts";
import type { Done } from "../team/actions/done.ts";
import { keepDeadline, watchLastWaits } from "./headless.ts";
import { closeParts, teamHere } from "./hosting.ts";
import { Spending } from "./money/spending.ts";
import type { Over } from "./money/spent.ts";
import { takeOrders } from "./orders.ts";
import { asEkidenError, type HowEnded, LeadTurns, type Outcome, recordEnd, tally } from "./outcome.ts";
import { openParts, type Parts } from "./parts.ts";
import {
  beginRun,
  type RunbookWork,
  runbookOf,
  type Starting,
  startWork,
  takeUp,
  type Work,
} from "./start-work.ts";
import { StoreOutage } from "./store-outage.ts";
import type { HostOptions, TeamHost } from "./team-host.ts";
import { UserPrompts } from "./user-prompts.ts";
import { watchAble } from "./watch-able.ts";
import { watchLead, withoutLead } from "./watch-lead.ts";

/**
 * Opens a team of the project, created if it is new, to be run by this process.
 * @throws EkidenError `model_missing` | `model_auth` | `bad_input` | `not_trusted` | `store_unavailable` | `store_newer` | `store_foreign` | `host_version` | `host_settings`
 */
export async function openHost(options: HostOptions): Promise<TeamHost> {
  const outage = new StoreOutage(options.onNotice);
  const parts = await openParts({ embedded: false, resume: false, ...options, outage });
  outage.journal = parts.store.journal;
  const host = new Host(options, parts, outage);
  try {
    await host.open();
    return host;
  } catch (error) {
    await parts.store.close();
    throw error;
  }
}

class Host implements TeamHost {
  readonly store: Store;
  readonly since: Cursor;
  readonly done: Promise<Outcome>;
  private readonly parts: Parts;
  private readonly outage: StoreOutage;
  private readonly options: HostOptions;
  private readonly id = randomUUID() as HostId;
  private readonly here: ReturnType<typeof teamHere>;
  private readonly team: Team;
  private readonly starting: Starting;
  private readonly providerTimeout: ProviderTimeout | undefined;
  readonly spending: Spending;
  /** Tasks that ended before this run do not count in its outcome; a resumed run leaves out only cancelled ones. */
  private before: ReadonlySet<TaskId> = new Set();
  private runbook: string | undefined; // its key
  private resolve: (outcome: Outcome) => void = () => {};
  private finishing: Promise<void> | null = null;
  /** The lead deleted its own team. The data goes when this host is closed, so that the end can still be read. */
  private deleting = false;
  private readonly leadTurns = new LeadTurns();
  private closing: Promise<void> | null = null;
  private readonly over = new AbortController();
  private chores: Promise<unknown> = Promise.resolve();

  constructor(options: HostOptions, parts: Parts, outage: StoreOutage) {
    const { settings, store, clock } = parts;
    this.parts = parts;
    this.outage = outage;
    this.store = store;
    this.since = parts.since;
    this.options = options;
    this.spending = new Spending(parts, {
      onOver: (over) => void this.reached(over),
      onUsedUp: options.onUsedUp,
      onMemberOver: (who) => this.team.end(who, "budget"),
    });
    this.done = new Promise((resolve) => {
      this.resolve = resolve;
    });
    // Nobody watches a headless run, so a provider that stays down ends it after a while.
    if (!options.interactive)
      this.providerTimeout = new ProviderTimeout(
        clock,
        settings.providerTimeoutMs,
        (why) => void this.finish("model", new EkidenError("model_overloaded", why)),
      );
    const words = new UserPrompts(parts, this.over.signal, async () => {
      if (this.interactive && !this.finishing) await this.team.reviveLead();
    });
    this.here = teamHere(parts, {
      ...{ host: this.id, spending: this.spending },
      ...{ asks: options.asks, planFirst: options.planFirst },
      ...{ onModel: options.onModel, isAttended: this.stays },
      crew: {
        providerTimeout: this.providerTimeout,
        onDelta: options.onDelta,
        onOutput: options.onOutput,
        runbook: () => this.runbook,
        onDeleteTeam: () => {
          this.deleting = true;
        },
      },
      team: {
        onTurn: (who, outcome) => {
          const booked = this.spending.book(who, outcome);
          if (who === LEAD) this.leadTurns.note(outcome);
          if (who === LEAD && outcome.kind === "rested") this.spending.leadRested();
          if (who === LEAD && this.deleting) void this.finish("concluded");
          return booked;
        },
        onQuiet: () => {
          if (!this.stays) void this.conclude();
        },
        onEnd: (name, end) => {
          if (name !== LEAD || end.kind !== "left" || this.interactive) return;
          if (end.reason === "asked") void this.finish("concluded");
          else if (end.reason === "failed")
            void withoutLead(parts, this.over.signal).then(() => this.finish("model", end.error));
        },
      },
    });
    const { team, hold } = this.here;
    this.team = team;
    const { id: host, spending } = this;
    this.starting = { parts, team, host, words, hold, spending, planFirst: options.planFirst };
  }

  private get interactive(): boolean {
    return this.options.interactive;
  }

  /** A quiet board is no end: the person or the forge may have more. */
  private get stays(): boolean {
    return this.interactive || this.options.forge !== undefined;
  }

  async open(): Promise<void> {
    await this.team.open({ willAdopt: true });
    const { store, hooks, trees } = this.parts;
    if (trees) await removeLanded(trees, store);
    this.chores = followNewTasks(hooks, store, this.id, this.over.signal);
    takeOrders(this.here, this.id, this.since, this.over.signal);
  }

  async start(work: Work): Promise<void> {
    const tasks = await this.store.board.tasks();
    const isBefore = (task: Task): boolean =>
      "resume" in work ? task.status === "cancelled" : isFinished(task);
    this.runbook = runbookOf(work, tasks);
    this.before = new Set(tasks.filter(isBefore).map((task) => task.id));
    const { parts, spending } = this;
    const { signal } = this.over;
    await beginRun(work, tasks, this.starting);
    const over = spending.check();
    if (over && !spending.waits(over)) return await this.reached(over);
    if (!this.interactive) void keepDeadline(parts, signal, (why) => this.finish("deadline", null, { why }));
    const end = (error: EkidenError): Promise<void> => this.finish("model", error);
    const stalled = async (error: EkidenError): Promise<void> => (this.interactive ? undefined : end(error));
    void watchAble(parts, this.id, signal, stalled, (error) => void end(error));
    const forge = parts.settings.forge !== undefined && (await import("./forge/start.ts"));
    const watched = forge && (await forge.openForge(parts, this.options, this.id));
    await startWork(work, tasks, this.starting);
    if (watched)
      this.chores = Promise.all([this.chores, watched.run(signal, () => this.finish("concluded"))]);
    if (!this.interactive)
      this.chores = Promise.all([
        this.chores,
        watchLastWaits(parts, signal),
        watchLead(parts, this.team, signal, (end, error) => this.finish(end, error)),
      ]);
  }

  async takeUp(work: RunbookWork): Promise<void> {
    await takeUp(work, this.starting);
  }

  isEnding(): boolean {
    return this.finishing !== null;
  }

  async interrupt(): Promise<void> {
    this.outage.giveUpSoon();
    await this.finish("interrupted");
  }

  async stop(name?: Name, now = false): Promise<void> {
    const deadline = now ? 0 : this.parts.settings.shutdownDeadlineMs;
    const reason = "The person asks you to stop.";
    if (name === undefined) return await this.team.stopAll(reason, PERSON, deadline);
    await this.team.askToStop(name, reason, PERSON, deadline);
    await this.team.ended(name);
  }

  async order(what: Order): Promise<Done<unknown>> {
    const { give } = await import("../team/actions/order.ts");
    return await give(this.store, PERSON, what);
  }

  get mode(): Mode {
    return this.here.mode();
  }

  get models(): ReadonlyMap<Name, string> {
    return new Map([...this.here.models.specs, ...this.parts.agents.specs]);
  }

  readonly offeredModels = (): Promise<readonly string[]> => this.here.models.offered();

  efforts(): ReturnType<TeamHost["efforts"]> {
    return this.here.models.thinking();
  }

  async changed(): Promise<ReadonlySet<string>> {
    await Promise.all(this.parts.looks);
    return this.parts.changed;
  }

  heardNow(): readonly LiveOutput[] {
    return this.parts.liveOutput.now();
  }

  async runsUnasked(): Promise<boolean> {
    return this.parts.settings.confinedCommands === "run" && (await this.parts.sandbox.status()).active;
  }

  async sandbox(): Promise<string> {
    const { active, text, network } = await this.parts.sandbox.status();
    return active ? `${text} Network: ${network}.` : text;
  }

  async close(): Promise<void> {
    this.closing ??= (async () => {
      this.over.abort();
      this.outage.giveUpSoon();
      // Without the store the lease of this host runs out, and others continue.
      await (this.finishing ?? this.team.suspend()).catch(() => {});
      await this.chores.catch(() => {});
      this.outage.giveUpNow();
      this.providerTimeout?.up();
      await closeParts(this.parts);
      if (this.deleting) await this.store.removeTeam(this.store.team, LEAD, true).catch(() => {});
      await this.store.close();
    })();
    await this.closing;
  }

  tellLead(prompt: string, images?: readonly Image[]): Promise<MailId> {
    this.spending.heardPerson();
    return this.starting.words.tell(prompt, images);
  }

  passed(prompt: string, to: string): Promise<string> {
    return this.starting.words.passed(prompt, to);
  }

  private async conclude(): Promise<void> {
    await this.finish(...(await this.leadTurns.conclusion(this.store, this.since, this.before)));
  }

  private async reached({ reason, text, goOn }: Over): Promise<void> {
    if (this.finishing !== null) return;
    void this.store.journal.warn(null, text).catch(() => {});
    await this.finish(reason, null, { why: text, ...(goOn && { goOn }) });
  }

  /** The first call counts: the conclusion, an exhausted budget, a lead that cannot continue, the person. Never rejects. */
  private finish(reason: Outcome["reason"], cause?: Error | null, how: HowEnded = {}): Promise<void> {
    const ended = { ...how, ...(cause && { error: asEkidenError(cause) }) };
    this.finishing ??= this.ended(reason, ended).catch((failure: unknown) => {
      this.resolve({ ...tally([], this.before), reason, text: "", error: asEkidenError(failure), ...ended });
    });
    return this.finishing;
  }

  private async ended(reason: Outcome["reason"], how: HowEnded): Promise<void> {
    this.providerTimeout?.up();
    if (reason === "concluded") await this.team.conclude();
    await this.team.suspend();
    const { parts, id, runbook, before } = this;
    this.resolve({ ...(await recordEnd(parts, { id, runbook, before, reason })), ...how });
  }
}
