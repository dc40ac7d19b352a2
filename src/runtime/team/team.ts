/** Starts, adopts, heartbeats and ends the members hosted by this process, with one heartbeat and one look for dead hosts. */

import { goesOn, type Member, type Profile, type Seat } from "../../core/board/member.ts";
import { messageOf, notFound } from "../../core/errors.ts";
import { LEAD, later, type Name } from "../../core/ids.ts";
import type { TeamControl } from "../../ports/index.ts";
import { Interruption, type InterruptionKind } from "../agent/interruption.ts";
import { type End, MemberLoop } from "../member/member-loop.ts";
import type { Compacted } from "../turn/context.ts";
import type { Shortening } from "../turn/new-conversation.ts";
import { HostLease, isUnregistered } from "./host-lease.ts";
import { Reaper } from "./reaper.ts";
import { keepSchedule } from "./schedule.ts";
import { settingsOf, type TeamParts } from "./team-parts.ts";

type Hosted = { readonly control: AbortController; readonly done: Promise<End>; life?: MemberLoop };

export class Team implements TeamControl {
  private readonly members = new Map<Name, Hosted>();
  private readonly parts: TeamParts;
  private readonly background = new AbortController();
  private tending: Promise<unknown> = Promise.resolve();
  /** Members on their way into `members`. Each has one life here, so nobody begins a second one meanwhile. */
  private readonly starting = new Map<Name, Promise<unknown>>();
  private concluding = false;
  /** `reap` must not put back a claim whose owner is about to resume it. */
  private adopting = 0;
  private willAdopt = false;
  /** Members of other hosts were left alone because this host was late itself. The reaper looks at them again. */
  private hasSkipped = false;
  readonly lease: HostLease;
  private readonly reaper: Reaper;

  constructor(parts: TeamParts) {
    this.parts = parts;
    this.lease = new HostLease({
      ...parts,
      leaseMs: parts.settings.leaseMs,
      letGo: () => this.letGo("lost"),
      rejoin: async () => !this.isEnding && (await this.adoptAll()),
    });
    this.reaper = new Reaper({
      parts,
      lease: this.lease,
      mayRemove: async () => {
        if (this.hasSkipped) await this.adoptAll().catch(() => {});
        return this.adopting === 0 && !this.willAdopt;
      },
    });
  }

  /** Registers this process and starts to renew its lease. `willAdopt`: it removes no dead host before `adoptAll`, which keeps their claims. */
  async open({ willAdopt = false } = {}): Promise<void> {
    this.willAdopt = willAdopt;
    await this.lease.open();
    const { signal } = this.background;
    const { reapMs, idlePollMs } = this.parts.settings;
    const looks = [this.reaper.keep(reapMs, signal), this.every(idlePollMs, () => this.poll())];
    this.tending = Promise.all([this.lease.keep(signal), ...looks, keepSchedule(this.parts, signal)]);
  }

  /** Not for calls of members: a renewal waits until they have ended. */
  async join(profile: Profile, by: Name): Promise<void> {
    try {
      await this.enter(profile, by);
    } catch (error) {
      // This process was frozen and counts as dead. It registers again and takes its members back first.
      if (!isUnregistered(error)) throw error;
      await this.lease.renew();
      await this.enter(profile, by);
    }
  }

  /** Nobody enters a process that ends: its shell is closed, so every command would fail. */
  private async enter(profile: Profile, by: Name): Promise<void> {
    if (this.isEnding) return;
    const { store, host } = this.parts;
    await this.entering(profile.name, async () =>
      this.begin(profile, await store.roster.join(profile, host, by)),
    );
  }

  async spawn(profile: Omit<Profile, "kind">): Promise<void> {
    const mate: Profile = { ...profile, kind: "teammate" };
    if (!(await this.parts.store.roster.place(mate, LEAD))) await this.enter(mate, LEAD);
  }

  /** Takes over every member that no living process hosts, with its claim. `revive`: also stopped ones. */
  async adoptAll({ revive = false } = {}): Promise<Name[]> {
    const adopted: Name[] = [];
    this.adopting += 1;
    this.hasSkipped = false;
    try {
      for (const member of await this.parts.store.roster.members()) {
        if (this.parts.mayAdopt?.(member) === false || !goesOn(member, revive)) continue;
        if (await this.adopt(member, revive)) adopted.push(member.name);
      }
    } finally {
      [this.adopting, this.willAdopt] = [this.adopting - 1, false];
    }
    return adopted;
  }

  /** A lead that failed here (a wrong key, a refusal) resumes when it gets mail; that of a lost process comes with its teammates. */
  async reviveLead(): Promise<void> {
    const lead = await this.parts.store.roster.member(LEAD);
    if (lead && (await this.adopt(lead, false))) await this.adoptAll();
  }

  private async adopt(member: Member, revive: boolean): Promise<boolean> {
    const { store, host, isAlive, onOrphans } = this.parts;
    if (this.isEnding || this.members.has(member.name) || this.starting.has(member.name)) return false;
    const isElsewhere = member.host !== null && member.host !== host;
    this.hasSkipped ||= isElsewhere && !this.lease.mayJudge;
    if (isElsewhere && !this.lease.mayJudge) return false;
    return await this.entering(member.name, async () => {
      // Its process may have been killed or frozen a moment ago. Its commands end before its task continues here.
      const lost = isElsewhere ? await store.roster.fence(isAlive) : [];
      if (isElsewhere) await onOrphans?.(lost);
      const seat = await store.roster
        .adopt(member.name, host, { isAlive, revive, ended: new Set(lost.map(({ id }) => id)) })
        .catch((error: unknown) => {
          if (!isUnregistered(error)) throw error;
          void this.lease.renew(); // this host was declared dead meanwhile
          return null;
        });
      if (seat) await this.begin(member, seat);
      return seat !== null;
    });
  }

  private async entering<T>(name: Name, begin: () => Promise<T>): Promise<T> {
    const begun = begin();
    const over = Promise.allSettled([begun]);
    this.starting.set(name, over);
    try {
      return await begun;
    } finally {
      if (this.starting.get(name) === over) this.starting.delete(name);
    }
  }

  async askToStop(
    name: Name,
    reason: string,
    by: Name,
    deadlineMs = this.parts.settings.shutdownDeadlineMs,
  ): Promise<void> {
    const { store, clock } = this.parts;
    const member = await store.roster.member(name);
    if (!member)
      throw notFound(
        `There is no member "${name}". The team: ${(await store.roster.members()).map((m) => m.name).join(", ")}.`,
      );
    if (member.activity.phase === "shutdown") throw notFound(`${name} has stopped already.`);
    await store.requests.ask(by, name, { kind: "shutdown", reason }, later(clock.now(), deadlineMs));
  }

  get isEnding(): boolean {
    return this.background.signal.aborted;
  }

  get names(): Name[] {
    return [...this.members.keys()];
  }

  /** Interrupts the running step of one member. */
  interrupt(name: Name, kind: InterruptionKind): void {
    this.members.get(name)?.life?.interrupt(kind);
  }

  /** Sums up the conversation of a member hosted here, starts it over, or cuts it. @throws EkidenError `not_found`, and what the model throws. */
  async compact(name: Name, how: Shortening = false): Promise<Compacted | null> {
    const life = this.members.get(name)?.life;
    if (life) return await life.compact(how);
    throw notFound(`This process runs no "${name}". It runs ${this.names.join(", ")}.`);
  }

  /** Ends one member at once: for good, or (`suspend`) it keeps its task until another process takes it over. */
  end(name: Name, why: "budget" | "replaced" | "stop" | "suspend"): void {
    this.members.get(name)?.control.abort(new Interruption(why));
  }

  /** Resolves when that member's life here has ended; undefined when it is not hosted here. */
  ended(name: Name): Promise<End> | undefined {
    return this.members.get(name)?.done;
  }

  /** Asks all members here to stop, the lead last, and waits until they are gone. */
  async stopAll(reason: string, by: Name, deadlineMs: number): Promise<void> {
    for (const group of this.ranks()) {
      await Promise.all(group.map((name) => this.askToStop(name, reason, by, deadlineMs).catch(() => {})));
      await Promise.all(group.map((name) => this.ended(name)));
    }
  }

  /** The team has finished: members end without being asked. */
  async conclude(): Promise<void> {
    this.concluding = true;
    for (const group of this.ranks()) {
      for (const name of group) this.members.get(name)?.control.abort(new Interruption("stop"));
      await Promise.all(group.map((name) => this.ended(name)));
    }
  }

  private ranks(): Name[][] {
    return [this.names.filter((name) => name !== LEAD), this.names.filter((name) => name === LEAD)];
  }

  /** The process ends and the team stays: members keep their tasks, and `resume` continues. */
  async suspend(): Promise<void> {
    this.background.abort();
    await this.letGo("suspend");
    await this.parts.jobs?.close();
    await this.parts.shell.close();
    await this.tending;
    await this.parts.store.roster.suspend(this.parts.host);
  }

  /** Ends all lives here. The members keep their tasks. */
  private async letGo(why: "suspend" | "lost"): Promise<void> {
    const end = async (): Promise<void> => {
      for (const { control } of this.members.values()) control.abort(new Interruption(why));
      await Promise.all([...this.members.values()].map(({ done }) => done));
    };
    await end();
    await Promise.all(this.starting.values());
    await end();
  }

  private async begin(profile: Profile, seat: Seat): Promise<void> {
    const { parts } = this;
    const control = new AbortController();
    const hosted: { -readonly [K in keyof Hosted]: Hosted[K] } = {
      control,
      done: Promise.resolve({ kind: "suspended" } as End),
    };
    try {
      const agent = await parts.agent(profile, seat, this, () => hosted.life);
      const isLead = profile.kind === "lead";
      const life = new MemberLoop(
        agent,
        settingsOf(parts, profile),
        {
          afterTurn: (outcome) => parts.onTurn?.(profile.name, outcome),
          ...{ onIdle: () => this.idle(isLead), heardPerson: () => parts.onPerson?.() },
          isConcluding: () => this.concluding,
        },
        control.signal,
      );
      hosted.life = life;
      hosted.done = this.finished(profile.name, life.run());
      this.members.set(profile.name, hosted);
    } catch (error) {
      await parts.store.roster.leave(seat, "failed", messageOf(error)).catch(() => {});
      throw error;
    }
  }

  /** Never rejects: a failed end is a warning in the journal and does not affect other members. */
  private async finished(name: Name, life: Promise<End>): Promise<End> {
    const end = await life.catch(
      (error: unknown): End => ({
        kind: "left",
        reason: "failed",
        error: error instanceof Error ? error : new Error(String(error)),
      }),
    );
    this.members.delete(name);
    if (end.kind !== "suspended") await this.parts.jobs?.endAll(name).catch(() => {});
    if (end.kind === "left" && end.error)
      await this.parts.store.journal.warn(name, messageOf(end.error)).catch(() => {});
    this.parts.onEnd?.(name, end);
    return end;
  }

  /** Only the lead checks whether the team is quiet, because only the lead concludes; not while others are on their way. */
  private async idle(isLead: boolean): Promise<"look again" | "wait"> {
    if (!isLead) return "wait";
    const quiet =
      this.starting.size + this.adopting > 0 ? "busy" : await this.parts.store.board.announceQuiet();
    if (quiet === "quiet") this.parts.onQuiet?.();
    return quiet === "told" ? "look again" : "wait";
  }

  private async every(ms: number, step: () => Promise<void>): Promise<void> {
    const { signal } = this.background;
    while (!signal.aborted) {
      await this.parts.clock.sleep(ms, signal);
      if (!signal.aborted) await step();
    }
  }

  /** One look for all teammates here: a hundred separate polls would be the largest cost of an idle team. */
  private async poll(): Promise<void> {
    const { store, host } = this.parts;
    const names = await store.roster.wanted(host).catch(() => []); // the next look reports the error
    for (const name of names) this.members.get(name)?.life?.pollAgain();
  }
}
