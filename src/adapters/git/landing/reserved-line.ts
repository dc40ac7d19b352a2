/** The landing line of this clone together with the reservations in the store, as one landing sees and changes them. */
import { type Landings, type Line, lineUp, type Reservation } from "../../../core/board/landing.ts";
import type { Obstacle } from "../../../core/board/worktree.ts";
import type { LandingInput } from "./landing-job.ts";
import type { LandingLine } from "./landing-line.ts";

/** The time between two reads of the reservations by a landing that waits. */
const ASK_MS = 250;
/** Long enough for a model to resolve a conflict, short enough for the others to wait for one that has given up. */
const RESERVATION_MS = 300_000;

export class ReservedLine {
  private readonly job: LandingInput;
  private readonly files: LandingLine;
  private readonly paths: readonly string[] | null;
  private reservations: readonly Reservation[] = [];
  private askedAt = Number.NEGATIVE_INFINITY;
  /** The refusals of this task, this landing included. */
  private refusals: number | null = null;

  constructor(job: LandingInput, files: LandingLine, paths: readonly string[] | null) {
    this.job = job;
    this.files = files;
    this.paths = paths;
  }

  /** `askMs`: how old the reservations may be. */
  async read(askMs = ASK_MS): Promise<Landings> {
    if (performance.now() - this.askedAt >= askMs) {
      this.reservations = await this.job.by.reservations.list(this.files.repository);
      this.askedAt = performance.now();
    }
    return this.files.read(this.reservations);
  }

  lineOf(landings: Landings): Line {
    return lineUp(landings, this.job.work.target, Date.now());
  }

  /** As the store has it now. */
  async isFirst(id: string): Promise<boolean> {
    return this.lineOf(await this.read(0)).order[0]?.id === id;
  }

  /**
   * The next landing of this branch comes before all that were not refused, also when this process is killed now. False if it has to
   * wait for another one first.
   */
  async reserve(why: Obstacle): Promise<boolean> {
    const { job, files, paths } = this;
    const { branch, target } = job.work;
    const { id: task, createdAt } = job.task;
    const lengthMs = job.options.reservationMs ?? RESERVATION_MS;
    const { orders, reservations } = await this.read(0);
    this.refusals ??= 1 + (reservations.find((one) => one.branch === branch)?.refusals ?? 0);
    const isOrdered = orders.has(branch);
    const wanted = { branch, target, task, createdAt, paths, why, refusals: this.refusals };
    const holder = await job.by.reservations.reserve(files.repository, { ...wanted, lengthMs, isOrdered });
    this.askedAt = Number.NEGATIVE_INFINITY;
    return holder === null;
  }
}
