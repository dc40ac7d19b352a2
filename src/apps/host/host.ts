/** Opens a team in this process, starts its work, and concludes or interrupts it. `run`, `resume` and the REPL all use it. */
import { randomUUID } from "node:crypto";
import { Budget } from "../../core/budget.ts";
import type { Image } from "../../core/conversation/image.ts";
import { EkidenError } from "../../core/errors.ts";
import { type HostId, LEAD, type MailId, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import { ENDED_STINT } from "../../core/lifecycle.ts";
import type { Mode } from "../../core/permission/mode.ts";
import { isFinished, type Task } from "../../core/task.ts";
import type { Cursor, Store } from "../../ports/index.ts";
import { followNewTasks } from "../../runtime/team/new-tasks.ts";
import { ProviderTimeout } from "../../runtime/team/provider-timeout.ts";
import { Team } from "../../runtime/team/team.ts";
import type { Compacted } from "../../runtime/turn/context.ts";
import { removeLanded } from "../../runtime/wraps/worktrees.ts";
import { type Crew, composeAgent } from "./compose.ts";
import { closeParts, shared, teamParts } from "./hosting.ts";
import { MemberModels } from "./member-models.ts";
import { asEkidenError, isHosted, lastWords, type Outcome, tally } from "./outcome.ts";
import { openParts, type Parts } from "./parts.ts";
import { startWork, type Work } from "./start-work.ts";
import { StoreOutage } from "./store-outage.ts";
import { keepTaskFolder } from "./task-folder.ts";
import type { HostOptions, TeamHost } from "./team-host.ts";
import { UserPrompts } from "./user-prompts.ts";
import { watchLead } from "./watch-lead.ts";

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
  private readonly interactive: boolean;
  private readonly id = randomUUID() as HostId;
  private readonly team: Team;
  private readonly words: UserPrompts;
  private readonly providerTimeout: ProviderTimeout | undefined;
  private readonly memberModels: MemberModels;
  private permissionMode: Mode;
  private budget: Budget;
  /** Tasks that ended before this run do not count in its outcome; of a resumed one, those that were cancelled. */
  private before: ReadonlySet<TaskId> = new Set();
  private resolve: (outcome: Outcome) => void = () => {};
  private finishing: Promise<void> | null = null;
  /** The lead deleted its own team. The data goes when this host is closed, so that the end can still be read. */
  private deleting = false;
  private closing: Promise<void> | null = null;
  private readonly over = new AbortController();
  private chores: Promise<unknown> = Promise.resolve();

  constructor(options: HostOptions, parts: Parts, outage: StoreOutage) {
    const { settings, store, clock } = parts;
    this.parts = parts;
    this.outage = outage;
    this.store = store;
    this.since = parts.since;
    this.interactive = options.interactive;
    this.budget = new Budget(settings);
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
    this.permissionMode = settings.permissionMode;
    const common = shared(parts, options.ask, () => this.mode);
    this.memberModels = new MemberModels(parts, common.reported, options.onModel);
    const crew: Crew = {
      ...common,
      onCost: (who, tokens, usd) => this.book(who, tokens, usd),
      providerTimeout: this.providerTimeout,
      onDelta: options.onDelta,
      onOutput: options.onOutput,
      models: this.memberModels,
      onDeleteTeam: () => {
        this.deleting = true;
      },
    };
    this.words = new UserPrompts(parts, this.over.signal, async () => {
      if (this.interactive && !this.finishing) await this.team.reviveLead();
    });
    this.team = new Team({
      ...teamParts(parts, this.id),
      agent: (profile, seat, control, life) => composeAgent(crew, profile, seat, control, life),
      onTurn: (who, { tokens, usd }) => {
        this.book(who, tokens, usd);
        if (who === LEAD && this.deleting) void this.finish("concluded");
      },
      onQuiet: () => {
        if (!this.interactive) void this.conclude();
      },
      onEnd: (name, end) => {
        if (name !== LEAD || end.kind !== "left" || this.interactive) return;
        if (end.reason === "asked") void this.finish("concluded");
        else if (end.reason === "failed") void this.finish("model", end.error);
      },
    });
  }

  async open(): Promise<void> {
    this.budget = new Budget(this.parts.settings, await this.store.roster.members());
    await this.team.open();
    const { store, hooks, trees } = this.parts;
    if (trees) await removeLanded(trees, store);
    this.chores = followNewTasks(hooks, store, this.id, this.over.signal);
  }

  async start(work: Work): Promise<void> {
    const folder = await keepTaskFolder(this.parts, this.over.signal);
    this.chores = Promise.all([this.chores, folder.ended]);
    const tasks = await this.store.board.tasks();
    const isBefore = (task: Task): boolean =>
      "resume" in work ? task.status === "cancelled" : isFinished(task);
    this.before = new Set(tasks.filter(isBefore).map((task) => task.id));
    const over = this.budget.check().find((verdict) => verdict.kind === "over" && verdict.who === null);
    if (over?.kind === "over") {
      await this.store.journal.warn(null, `${over.text} Continue with a larger one.`);
      return await this.finish(over.what);
    }
    await startWork(work, tasks, {
      parts: this.parts,
      team: this.team,
      host: this.id,
      words: this.words,
    });
    if (!this.interactive)
      this.chores = Promise.all([
        this.chores,
        watchLead(this.store, this.team, this.over.signal, (end, error) => this.finish(end, error)),
      ]);
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

  interruptLead(): void {
    this.team.interrupt(LEAD, "person");
  }

  get mode(): Mode {
    return this.permissionMode;
  }

  set mode(mode: Mode) {
    this.permissionMode = mode;
    void this.store.journal.note([{ type: "mode.changed", mode, by: PERSON }]).catch(() => {});
  }

  get models(): ReadonlyMap<Name, string> {
    return this.memberModels.specs;
  }

  async useModel(spec: string, who?: Name): Promise<void> {
    await this.memberModels.replace(spec, who);
    await this.store.journal.note([{ type: "model.changed", who: who ?? null, model: spec, by: PERSON }]);
  }

  async compact(name: Name, anew?: boolean): Promise<Compacted | null> {
    return await this.team.compact(name, anew);
  }

  async sandbox(): Promise<string> {
    const { active, text, network } = await this.parts.sandbox.status();
    return active ? `${text} Network: ${network}.` : text;
  }

  async close(): Promise<void> {
    this.closing ??= (async () => {
      this.over.abort();
      this.outage.giveUpSoon();
      // Without the store the lease of this host runs out, and others go on.
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
    this.budget.newGoal();
    return this.words.tell(prompt, images);
  }

  passed(prompt: string, to: string): Promise<string> {
    return this.words.passed(prompt, to);
  }

  private book(who: Name, tokens: number, usd: number): void {
    for (const verdict of this.budget.spend(who, tokens, usd)) {
      if (verdict.kind === "warning") void this.store.journal.warn(verdict.who, verdict.text).catch(() => {});
      else if (verdict.what === "calls") void this.checkCalls(verdict.text).catch(() => {});
      else if (verdict.who === null) void this.finish(verdict.what);
      else this.team.end(verdict.who, "budget");
    }
  }

  /** A lead whose last stint was ended for it has concluded nothing. */
  private async conclude(): Promise<void> {
    const activity = (await this.store.roster.member(LEAD))?.activity;
    const ended = activity?.phase === "idle" && ENDED_STINT.has(activity.reason);
    await this.finish(ended ? "calls" : "concluded");
  }

  /** The board may have more tasks than when they were last counted. */
  private async checkCalls(text: string): Promise<void> {
    if (this.finishing || !this.budget.hasUsedCalls((await this.store.board.counts()).total)) return;
    if (!this.finishing) await this.store.journal.warn(null, text).catch(() => {});
    await this.finish("calls");
  }

  /** The first call counts: the conclusion, an exhausted budget, a lead that cannot go on, the person. Never rejects. */
  private finish(reason: Outcome["reason"], cause?: Error | null): Promise<void> {
    const error = cause ? { error: asEkidenError(cause) } : {};
    this.finishing ??= this.ended(reason, error).catch((failure: unknown) => {
      const { error: first = asEkidenError(failure) } = error;
      this.resolve({ ...tally([], this.before), reason, text: "", error: first });
    });
    return this.finishing;
  }

  private async ended(reason: Outcome["reason"], error: Pick<Outcome, "error">): Promise<void> {
    const { store, team } = this;
    this.providerTimeout?.up();
    if (reason === "concluded") await team.conclude();
    await team.suspend();
    const counts = tally(await store.board.tasks(), this.before);
    const told = await store.roster.finish(this.id, { ...counts, reason });
    const elsewhere = !told && reason === "interrupted" && (await isHosted(store));
    const text = await lastWords(store);
    this.resolve({ ...counts, reason, text, ...(elsewhere && { elsewhere }), ...error });
  }
}
