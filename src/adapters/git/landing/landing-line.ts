/**
 * The queue of landings of this repository as one landing sees it: its own place, those of the others, and the reservation that it may
 * make. The store keeps all of them.
 */
import { type LandingQueue, type Line, lineUp, type Waiting } from "../../../core/board/landing.ts";
import type { Obstacle } from "../../../core/board/worktree.ts";
import type { Mark } from "../../../ports/journal.ts";
import type { NewWaiting } from "../../../ports/landings.ts";
import { PLACE } from "../../process-identity.ts";
import type { LandingInput } from "./landing-job.ts";

/** Long enough for a model to resolve a conflict, short enough for the others to wait for one that has given up. */
const RESERVATION_MS = 300_000;
/** The time after which a landing looks again without a wake-up: a person moves the target, a lease or a reservation ends. */
const FLOOR_MS = 1_000;

/** Names a repository to the teams that land in it. `commonDir`: git's folder that all its worktrees share. */
export const repositoryName = (commonDir: string): string => `${PLACE}:${commonDir}`;

export class LandingLine {
  readonly id: Waiting["id"];
  private readonly job: LandingInput;
  private readonly repository: string;
  private readonly arrived: number;
  /** The refusals of this task, this landing included. */
  private refusals: number | null = null;
  private seen: Mark;

  private constructor(job: LandingInput, repository: string, { id, arrived }: Waiting) {
    this.job = job;
    this.repository = repository;
    this.id = id;
    this.arrived = arrived;
    this.seen = job.by.wake.mark();
  }

  /** Takes the last place. @throws EkidenError `stale_seat` */
  static async join(job: LandingInput): Promise<LandingLine> {
    const { task, by, work } = job;
    const repository = repositoryName(work.commonDir);
    const place = await by.landings.join(by.seat, repository, {
      ...{ branch: work.branch, target: work.target, task: task.id, by: by.seat.name, subject: task.subject },
      ...{ since: Date.now(), isReady: false, paths: null, state: "waiting", base: null, commit: null },
      ...{ gateSince: null, why: null },
    });
    return new LandingLine(job, repository, place);
  }

  async read(): Promise<LandingQueue> {
    const { by } = this.job;
    this.seen = by.wake.mark();
    return await by.landings.queue(this.repository);
  }

  /** Waits until something may have changed since the last `read`, or one of `others` has ended. */
  async changed(...others: readonly Promise<void>[]): Promise<void> {
    const { wake, signal } = this.job.by;
    const enough = new AbortController();
    const either = AbortSignal.any([signal, enough.signal]);
    const woken = wake.changed(this.seen, ["landings"], FLOOR_MS, either);
    await Promise.race([woken, ...others]);
    enough.abort();
    await woken;
  }

  /** @throws EkidenError `stale_seat` where the place has ended */
  async update(change: Partial<NewWaiting>): Promise<void> {
    await this.job.by.landings.update(this.job.by.seat, this.id, change);
  }

  /** `isOver`: it has an outcome. A place that cannot be given up now ends with its host. */
  async leave(isOver: boolean): Promise<void> {
    await this.job.by.landings.leave(this.id, isOver).catch(() => {});
  }

  /** Whether another landing of the same branch came before: a former owner may not know yet that it is not the owner. */
  isTwice({ waiting }: LandingQueue): boolean {
    const { branch } = this.job.work;
    return waiting.some((other) => other.branch === branch && other.arrived < this.arrived);
  }

  lineOf(queue: LandingQueue): Line {
    return lineUp(queue, this.job.work.target, Date.now());
  }

  /** As the store has it now. */
  async isFirst(): Promise<boolean> {
    return this.lineOf(await this.read()).order[0]?.id === this.id;
  }

  /**
   * The next landing of this branch comes before all that were not refused, also when this process is killed now. False if it has to
   * wait for another one first.
   */
  async reserve(why: Obstacle, paths: readonly string[] | null): Promise<boolean> {
    const { work, task, options, by } = this.job;
    const { branch, target } = work;
    const { orders, reservations } = await this.read();
    this.refusals ??= 1 + (reservations.find((one) => one.branch === branch)?.refusals ?? 0);
    const holder = await by.landings.reserve(this.repository, {
      ...{ branch, target, task: task.id, createdAt: task.createdAt, paths, why, refusals: this.refusals },
      lengthMs: options.reservationMs ?? RESERVATION_MS,
      isOrdered: orders.has(branch),
    });
    return holder === null;
  }
}
