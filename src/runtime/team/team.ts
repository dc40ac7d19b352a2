/**
 * Starts, adopts, heartbeats and ends the members hosted by this process. One heartbeat and one look for dead hosts serve all of them.
 */
import { EkidenError, messageOf } from "../../core/errors.ts";
import { type HostId, LEAD, later, type Name } from "../../core/ids.ts";
import type { Profile, Seat } from "../../core/member.ts";
import type { Clock, JobControl, Shell, Store, TeamControl } from "../../ports/index.ts";
import type { Agent, TurnOutcome } from "../agent/agent.ts";
import { Interruption, type InterruptionKind } from "../agent/interruption.ts";
import { type End, MemberLoop, type MemberLoopSettings } from "../member/member-loop.ts";
import type { Compacted } from "../turn/context.ts";
import { keepSchedule } from "./schedule.ts";

export type TeamSettings = MemberLoopSettings & {
  readonly leaseMs: number;
  readonly shutdownDeadlineMs: number;
  /** How often dead hosts on this machine are looked for. */
  readonly reapMs: number;
};

export type TeamParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly shell: Shell;
  /** Background commands of the members. */
  readonly jobs?: JobControl;
  readonly host: HostId;
  readonly machine: string;
  readonly pid: number;
  /** Null: this process cannot know. */
  readonly isAlive: (machine: string, pid: number) => boolean | null;
  readonly settings: TeamSettings;
  /** A host was found dead: ends the processes that it left, because its tasks start again elsewhere. */
  readonly onOrphans?: () => Promise<void>;
  /** Composes an agent and reads its conversation back. */
  readonly agent: (
    profile: Profile,
    seat: Seat,
    team: TeamControl,
    life: () => MemberLoop | undefined,
  ) => Promise<Agent>;
  readonly onTurn?: (name: Name, outcome: TurnOutcome) => void;
  /** The lead found nothing to do and the board is quiet: a headless run ends here. */
  readonly onQuiet?: () => void;
  readonly onEnd?: (name: Name, end: End) => void;
};

type Hosted = { readonly control: AbortController; readonly done: Promise<End>; life?: MemberLoop };

export class Team implements TeamControl {
  private readonly members = new Map<Name, Hosted>();
  private readonly parts: TeamParts;
  private readonly background = new AbortController();
  private tending: Promise<unknown> = Promise.resolve();
  private readonly starting = new Set<Name>();
  private concluding = false;
  private adopting = false;

  constructor(parts: TeamParts) {
    this.parts = parts;
  }

  /** Registers this process and starts to renew its lease. */
  async open(): Promise<void> {
    const { store, host, machine, pid } = this.parts;
    await store.roster.open(host, machine, pid);
    const schedule = keepSchedule(this.parts, this.background.signal);
    this.tending = Promise.all([this.beat(), this.reap(), this.poll(), schedule]);
  }

  async join(profile: Profile, by: Name): Promise<void> {
    const seat = await this.parts.store.roster.join(profile, this.parts.host, by);
    await this.begin(profile, seat);
  }

  async spawn(profile: Omit<Profile, "kind">): Promise<void> {
    await this.join({ ...profile, kind: "teammate" }, LEAD);
  }

  /** Takes over every member that no living process hosts, with its claim. `revive`: also stopped ones. */
  async adoptAll({ revive = false } = {}): Promise<Name[]> {
    const { store, host, isAlive } = this.parts;
    const adopted: Name[] = [];
    this.adopting = true; // `reap` must not put back a claim whose owner is about to resume it
    try {
      for (const member of await store.roster.members()) {
        if (this.members.has(member.name) || (member.activity.phase === "shutdown" && !revive)) continue;
        const seat = await store.roster.adopt(member.name, host, { isAlive, revive });
        if (!seat) continue;
        adopted.push(member.name);
        await this.begin(member, seat);
      }
    } finally {
      this.adopting = false;
    }
    return adopted;
  }

  /** A lead that failed here (a wrong key, a refusal) resumes when it gets mail. */
  async reviveLead(): Promise<void> {
    const { store, host, isAlive } = this.parts;
    if (this.members.has(LEAD) || this.starting.has(LEAD)) return;
    const lead = await store.roster.member(LEAD);
    const seat = lead && (await store.roster.adopt(LEAD, host, { isAlive }));
    if (lead && seat) await this.begin(lead, seat);
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
      throw new EkidenError(
        "not_found",
        `There is no member "${name}". The team: ${(await store.roster.members()).map((m) => m.name).join(", ")}.`,
      );
    if (member.activity.phase === "shutdown")
      throw new EkidenError("not_found", `${name} has stopped already.`);
    await store.requests.ask(by, name, { kind: "shutdown", reason }, later(clock.now(), deadlineMs));
  }

  get names(): Name[] {
    return [...this.members.keys()];
  }

  /** Interrupts the running step of one member. */
  interrupt(name: Name, kind: InterruptionKind): void {
    this.members.get(name)?.life?.interrupt(kind);
  }

  /** Sums up the conversation of a member hosted here, at work or idle. @throws EkidenError `not_found`, and what the model throws. */
  async compact(name: Name): Promise<Compacted | null> {
    const life = this.members.get(name)?.life;
    if (!life) throw new EkidenError("not_found", `This process runs no member "${name}".`);
    return await life.compact();
  }

  /** Ends one member for good, because its budget is used up. */
  end(name: Name, why: "budget"): void {
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
    for (const { control } of this.members.values()) control.abort(new Interruption("suspend"));
    await Promise.all([...this.members.values()].map((m) => m.done));
    await this.parts.jobs?.close();
    await this.parts.shell.close();
    await this.tending;
    await this.parts.store.roster.suspend(this.parts.host);
  }

  // -- one member -------------------------------------------------------------------------------------------------------
  private async begin(profile: Profile, seat: Seat): Promise<void> {
    const { parts } = this;
    const control = new AbortController();
    const hosted: { -readonly [K in keyof Hosted]: Hosted[K] } = {
      control,
      done: Promise.resolve({ kind: "suspended" } as End),
    };
    this.starting.add(profile.name);
    try {
      const agent = await parts.agent(profile, seat, this, () => hosted.life);
      const isLead = profile.kind === "lead";
      const never = Number.POSITIVE_INFINITY;
      const settings = { ...parts.settings, ...(isLead ? { idleTimeoutMs: never } : { idlePollMs: never }) };
      const life = new MemberLoop(
        agent,
        settings,
        {
          afterTurn: (outcome) => parts.onTurn?.(profile.name, outcome),
          onIdle: () => this.idle(isLead),
          isConcluding: () => this.concluding,
        },
        control.signal,
      );
      hosted.life = life;
      hosted.done = this.finished(profile.name, life.run());
      this.members.set(profile.name, hosted);
    } catch (error) {
      await parts.store.roster.leave(seat, "failed", messageOf(error));
      throw error;
    } finally {
      this.starting.delete(profile.name);
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
      await this.parts.store.journal
        .note([{ type: "warning.raised", who: name, text: messageOf(end.error) }])
        .catch(() => {});
    this.parts.onEnd?.(name, end);
    return end;
  }

  /** Only the lead checks whether the team is quiet, because only the lead concludes. */
  private async idle(isLead: boolean): Promise<"look again" | "wait"> {
    if (!isLead) return "wait";
    const quiet = this.starting.size > 0 ? "busy" : await this.parts.store.board.announceQuiet();
    if (quiet === "quiet") this.parts.onQuiet?.();
    return quiet === "told" ? "look again" : "wait";
  }

  // -- all members --------------------------------------------------------------------------------------------------------
  private lastBeat = 0;

  private async beat(): Promise<void> {
    const { clock, settings } = this.parts;
    const { signal } = this.background;
    this.lastBeat = clock.now();
    while (!signal.aborted) {
      await clock.sleep(settings.leaseMs / 3, signal);
      if (!signal.aborted) await this.renew();
    }
  }

  /** After a sleep of the machine this host may have been declared dead: then it takes back the members that nobody else has. */
  private async renew(): Promise<void> {
    const { store, clock, host, machine, pid } = this.parts;
    const held = await store.roster.beat(host).catch(() => true); // an error of the store says nothing about the lease
    this.lastBeat = clock.now();
    if (held) return;
    const lives = [...this.members.values()];
    for (const { control } of lives) control.abort(new Interruption("lost"));
    await Promise.all(lives.map(({ done }) => done));
    await store.roster.open(host, machine, pid);
    await this.adoptAll();
  }

  /** One look for all teammates here: a hundred separate polls would be the largest cost of an idle team. */
  private async poll(): Promise<void> {
    const { store, clock, settings, host } = this.parts;
    const { signal } = this.background;
    while (!signal.aborted) {
      await clock.sleep(settings.idlePollMs, signal);
      if (signal.aborted) return;
      const names = await store.roster.wanted(host).catch(() => []); // the next look reports the error
      for (const name of names) this.members.get(name)?.life?.pollAgain();
    }
  }

  private async reap(): Promise<void> {
    const { store, clock, settings, isAlive } = this.parts;
    const { signal } = this.background;
    while (!signal.aborted) {
      await clock.sleep(settings.reapMs, signal);
      if (signal.aborted) return;
      if (clock.now() - this.lastBeat > settings.leaseMs / 2) await this.renew(); // or this host may count as dead itself
      const reaped = this.adopting ? null : await store.roster.reap(isAlive).catch(() => null);
      if (reaped && reaped.orphans.length > 0) await this.parts.onOrphans?.();
      await this.parts.jobs?.reap().catch(() => {});
      await store.requests.expire("Nobody answered before the deadline.").catch(() => {});
    }
  }
}
