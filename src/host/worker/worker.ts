/**
 * A process that runs teammates of a team and nothing else: it never leads, starts or concludes. It fills its places (`places.ts`)
 * and leaves by a drain: no new task is begun, begun ones are finished, members that cannot finish in time give theirs back.
 */
import { randomUUID } from "node:crypto";
import type { Member } from "../../core/board/member.ts";
import { type EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { type HostId, type Name, PERSON } from "../../core/ids.ts";
import type { Cursor, Store } from "../../ports/index.ts";
import type { End } from "../../runtime/member/member-loop.ts";
import { park, removeLanded } from "../../runtime/wraps/worktrees.ts";
import { closeParts, isAlive, type Members } from "../hosting.ts";
import { Spending } from "../money/spending.ts";
import type { Over } from "../money/spent.ts";
import { takeOrders } from "../orders.ts";
import { asEkidenError } from "../outcome.ts";
import { openParts, type Parts } from "../parts.ts";
import { StoreOutage } from "../store-outage.ts";
import type { Health } from "./health.ts";
import { teamOf } from "./members.ts";
import type { WorkerEnd, WorkerOptions } from "./options.ts";
import { type Filling, fill, isBetweenTasks, isOrdinary } from "./places.ts";

const TEND_MS = 1_000;
const LOOK_MS = 250;

/** @throws EkidenError as `openHost`, and `host_version` | `host_settings`, and `name_taken` with `namesMustBeFree` */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { lead: _, ...settings } = options.settings;
  const outage = new StoreOutage(options.tell);
  const parts = await openParts({ ...options, settings, embedded: false, resume: true, outage });
  outage.journal = parts.store.journal;
  const worker = new Worker(options, parts, outage);
  try {
    await worker.open();
    return worker;
  } catch (error) {
    await worker.close().catch(() => {});
    throw error;
  }
}

export class Worker {
  readonly store: Store;
  /** Where the journal of its life begins. */
  readonly since: Cursor;
  /** Never rejects. */
  readonly done: Promise<WorkerEnd>;
  readonly known = new Set<Name>(); // all that ran here
  private readonly id = randomUUID() as HostId;
  private readonly options: WorkerOptions;
  private readonly parts: Parts;
  private readonly outage: StoreOutage;
  private readonly here: Members;
  private readonly over = new AbortController();
  private readonly hard = new AbortController();
  private resolve: (end: WorkerEnd) => void = () => {};
  private readonly spending: Spending;
  private filling: Filling = { adopt: [], release: [], join: [], joining: 0 };
  private readonly released = new Set<Name>();
  private readonly elsewhere = new Set<Name>(); // names that another process had: told once
  private wanted: number;
  private failure: EkidenError | undefined;
  private draining: Promise<void> | null = null;
  private closing: Promise<void> | null = null;
  private tending: Promise<void> = Promise.resolve();
  private tendedAt = 0;

  constructor(options: WorkerOptions, parts: Parts, outage: StoreOutage) {
    this.options = options;
    this.parts = parts;
    this.outage = outage;
    this.store = parts.store;
    this.since = parts.since;
    this.wanted = options.count;
    this.spending = new Spending(parts, {
      onOver: (over) => void this.onOver(over).catch(() => {}),
      onMemberOver: (who) => this.here.team.end(who, "budget"),
    });
    this.done = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.here = teamOf(parts, {
      host: this.id,
      isDraining: () => this.isDraining,
      spending: this.spending,
      onEnd: (name, end) => this.ended(name, end),
      mayAdopt: ({ name }) => !this.isDraining && this.filling.adopt.includes(name),
    });
  }

  async open(): Promise<void> {
    const { store, trees } = this.parts;
    await this.spending.open(false);
    await this.here.team.open();
    if (trees) await removeLanded(trees, store);
    takeOrders(this.here, this.id, this.since, this.over.signal);
    await this.tend();
    this.tending = this.keepTending();
  }

  private get isDraining(): boolean {
    return this.draining !== null;
  }

  get names(): readonly Name[] {
    return this.here.team.names;
  }

  get health(): Health {
    const { clock, settings } = this.parts;
    if (this.isDraining) return { live: true, state: "draining" };
    return { live: clock.now() - this.tendedAt < settings.leaseMs * 2, state: "ready" };
  }

  /** Begins to leave; `done` tells the end. Tasks that are not finished after `deadlineMs` go back. May be called again. */
  drain(deadlineMs: number, how: WorkerEnd = { reason: "drained" }): void {
    this.draining ??= this.leave(deadlineMs, how);
  }

  /** Ends a drain at once. */
  endNow(): void {
    this.hard.abort();
    this.outage.giveUpSoon();
    this.drain(0);
  }

  async close(): Promise<void> {
    this.closing ??= (async () => {
      this.over.abort();
      this.hard.abort();
      this.outage.giveUpSoon();
      await this.tending;
      // Without the store the lease of this host runs out, and others continue.
      await (this.draining ?? this.here.team.suspend().catch(() => {}));
      this.outage.giveUpNow();
      await closeParts(this.parts);
      await this.store.close();
    })();
    await this.closing;
  }

  // -- places -------------------------------------------------------------------------------------------------------------
  private async keepTending(): Promise<void> {
    const { clock } = this.parts;
    const { signal } = this.over;
    while (!signal.aborted) {
      await clock.sleep(TEND_MS, signal);
      if (signal.aborted || this.isDraining) return;
      // A store that is away says so elsewhere.
      await this.tend().catch((error: unknown) => {
        if (isEkidenError(error, "store_foreign")) this.drain(0, { reason: "over", error });
        else if (isEkidenError(error) && !error.retryable) this.options.tell(messageOf(error));
      });
    }
  }

  private async tend(): Promise<void> {
    const { store, options } = this;
    const { team } = this.here;
    const { clock } = this.parts;
    const [hosts, members, now] = [await store.roster.hosts(), await store.roster.members(), clock.now()];
    const adopts = options.names === null && options.role === "";
    const own = hosts.find(({ id }) => id === this.id);
    // After a lost lease the row of this host is new.
    if (own && own.capacity !== options.count)
      await store.roster.offer(this.id, { places: options.count, adopts });
    await this.checkBudget(members);
    this.filling = fill(
      {
        host: this.id,
        live: new Set(
          hosts.filter((one) => one.leaseUntil > now && isAlive(one) !== false).map(({ id }) => id),
        ),
        count: options.count,
        wanted: this.wanted,
        running: new Set(team.names),
        names: options.names,
        role: options.role,
        adopts,
      },
      members,
    );
    const { adopt, release, join, joining } = this.filling;
    for (const name of release) {
      this.released.add(name);
      team.end(name, "replaced");
    }
    if (adopt.length > 0) this.tellOf("Takes over", await team.adoptAll());
    if (joining > 0) await this.joinNew(join, joining);
    this.tendedAt = now;
  }

  private async joinNew(names: readonly Name[], count: number): Promise<void> {
    const { options, parts } = this;
    const { team } = this.here;
    const profile = { kind: "teammate", role: options.role, model: parts.models.ofNew, prompt: "" } as const;
    const joined: Name[] = [];
    for (const name of names) {
      if (joined.length === count || this.isDraining) break;
      try {
        await team.join({ ...profile, name, needsPlan: false }, PERSON);
        joined.push(name);
        this.elsewhere.delete(name);
      } catch (error) {
        // Another process runs it: any free name will do, and a name that was asked for is taken back once it is free.
        const isRefused = options.namesMustBeFree === true && this.known.size === 0;
        if (!isEkidenError(error, "name_taken") || isRefused) throw error;
        if (options.names && !this.elsewhere.has(name))
          options.tell(`${name} runs in another process. It will run here once that process has left it.`);
        this.elsewhere.add(name);
      }
    }
    this.tellOf("Runs", joined);
  }

  private tellOf(does: string, names: readonly Name[]): void {
    for (const name of names) this.known.add(name);
    if (names.length > 0) this.options.tell(`${does} ${names.join(", ")}.`);
  }

  private ended(name: Name, end: End): void {
    if (end.kind !== "left" || this.released.delete(name) || this.isDraining) return;
    this.wanted -= 1;
    if (end.reason === "failed") this.failure = asEkidenError(end.error ?? new Error(`${name} failed.`));
    const error = this.failure;
    if (this.here.team.names.length === 0) this.drain(0, { reason: "over", ...(error && { error }) });
  }

  // -- the end ------------------------------------------------------------------------------------------------------------
  private async leave(deadlineMs: number, how: WorkerEnd): Promise<void> {
    this.over.abort();
    const { clock } = this.parts;
    const deadline = clock.now() + deadlineMs;
    void clock.sleep(deadlineMs, this.hard.signal).then(() => this.outage.giveUpSoon());
    await this.tending;
    // A process that is killed before its deadline has left its work to others, too.
    const { trees, store } = this.parts;
    if (trees) for (const name of this.names) void park(trees, store, name, this.hard.signal).catch(() => {});
    let end: WorkerEnd;
    try {
      const left = await this.finishTasks(deadline);
      end = left > 0 && how.reason === "drained" ? { reason: "cut" } : how;
    } catch (error) {
      end = { reason: "cut", error: asEkidenError(error as Error) };
    }
    // Also without the store: everything that runs here ends, and the lease runs out.
    await this.here.team.suspend().catch((error: unknown) => {
      end = { error: asEkidenError(error as Error), ...end };
    });
    this.hard.abort();
    this.resolve(end);
  }

  /** Returns how many members had not finished by the deadline. */
  private async finishTasks(deadline: number): Promise<number> {
    const { store, hard } = this;
    const { clock } = this.parts;
    await store.roster.offer(this.id, { places: 0, adopts: false });
    for (;;) {
      const mark = store.wake.mark();
      const left = await this.letGo(false);
      const ms = Math.min(LOOK_MS, deadline - clock.now());
      if (left === 0) return 0;
      if (ms <= 0 || hard.signal.aborted) {
        await this.letGo(true);
        return left;
      }
      await store.wake.changed(mark, ["board"], ms, hard.signal);
    }
  }

  /**
   * Ends the members that are between two tasks, or all of them. A member whose agent program does not answer yet has begun nothing,
   * so it is not waited for either. One with a role or a conversation of its own is not stopped: the
   * next process with room continues with it. Returns how many are left.
   */
  private async letGo(all: boolean): Promise<number> {
    const { team } = this.here;
    const { agents } = this.parts;
    const members = await this.store.roster.members();
    const mayGo = (one: Member): boolean => all || isBetweenTasks(one) || agents.isStarting(one.name);
    const leaving = members.filter((one) => team.names.includes(one.name) && mayGo(one));
    for (const member of leaving)
      team.end(member.name, isOrdinary({ ...member, task: null }) ? "stop" : "suspend");
    await Promise.all(leaving.map(({ name }) => team.ended(name)));
    return team.names.length;
  }

  private async onOver({ reason, text }: Over): Promise<void> {
    if (reason === "budget" || reason === "turns") await this.checkBudget(await this.store.roster.members());
    else this.drain(0, { reason: "budget", why: text });
  }

  /** The spending of other processes counts too. */
  private async checkBudget(members: readonly Member[]): Promise<void> {
    const over = await this.spending.checkAll(members);
    if (over) this.drain(0, { reason: "budget", why: over.text });
  }
}
