/**
 * The landing queue of a repository, as files in a folder of its own: one for each waiting landing and each order of a person, and a
 * list of the gates that ran. Several teams, stores and processes share it. Each file has one writer and is
 * replaced as a whole, so no lock is needed: a reader that is late decides by old files, and the target moves only under a lock
 * and only from the commit that the gate has seen.
 *
 * A waiting landing ends with its process. Orders and gates stay when a process is killed. Reservations are in the store: they hold
 * on other machines, too.
 */

import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Landings, Order, Reservation, Waiting } from "../../../core/board/landing.ts";
import { tried } from "../../../core/tried.ts";
import { PLACE } from "../../process-identity.ts";
import { jsonIn, namesIn, textIn } from "../../small-files.ts";
import { ownStateOf } from "../clones/own-state.ts";
import { giveUp, isTicketHeld, keepTouched, newTicket, TICKET } from "./queue.ts";

/** A gate that ended: the tree it ran on, the commit that has this tree, and the commit below it. */
export type GateRecord = {
  readonly at: number;
  readonly branch: string;
  readonly team: string;
  readonly task: number;
  readonly base: string;
  readonly commit: string;
  readonly tree: string;
  readonly command: string;
  readonly green: boolean;
  readonly ms: number;
};

export type Place = Pick<Waiting, "id" | "arrived" | "branch"> & {
  update(change: Partial<Waiting>): void;
  leave(): void;
};

const WAITING = new RegExp(`^\\d{10}\\.(${TICKET})\\.json(\\.tmp)?$`);

export class LandingLine {
  /** Names this repository to the teams that land in it. */
  readonly repository: string;
  private readonly folder: string;

  /** @param commonDir git's folder that all worktrees of a repository share */
  constructor(commonDir: string) {
    this.repository = `${PLACE}:${commonDir}`;
    this.folder = join(ownStateOf(commonDir), "landings");
  }

  /** Takes the last place. */
  join(about: Omit<Waiting, "number" | "arrived" | "id">): Place {
    const folder = this.made("waiting");
    const id = newTicket();
    const arrived = this.nextNumber();
    const file = join(folder, `${String(arrived).padStart(10, "0")}.${id}.json`);
    let entry: Waiting = { ...about, arrived, number: arrived, id };
    replace(file, entry);
    const touch = keepTouched(file);
    return {
      id,
      arrived,
      branch: about.branch,
      update(change) {
        entry = { ...entry, ...change };
        replace(file, entry);
      },
      leave() {
        clearInterval(touch);
        giveUp(file);
      },
    };
  }

  /** Whether another landing of the same branch came before. */
  isTwice({ id, arrived, branch }: Place): boolean {
    return this.waiting().some(
      (other) =>
        other.branch === branch && (other.arrived < arrived || (other.arrived === arrived && other.id < id)),
    );
  }

  /** The number behind all that are there. */
  nextNumber(): number {
    return 1 + Math.max(0, ...this.waiting().map((entry) => entry.number));
  }

  read(reservations: readonly Reservation[]): Landings {
    const folder = join(this.folder, "orders");
    const orders = namesIn(folder).flatMap((name) => {
      const order = name.endsWith(".json") && jsonIn<Order & { branch: string }>(join(folder, name));
      return order ? [[order.branch, order] as const] : [];
    });
    return { waiting: this.waiting(), reservations, orders: new Map(orders) };
  }

  order(branch: string, order: Order): void {
    replace(this.fileOf("orders", branch), { branch, ...order });
  }

  /** Removes what a person ordered, for it was done. */
  obeyed(branch: string): void {
    rmSync(this.fileOf("orders", branch), { force: true });
  }

  /** One line is written in one call, so a killed process leaves at most a last line that is cut off. */
  recordGate(record: GateRecord): void {
    this.made(".");
    appendFileSync(this.gatesFile, `\n${JSON.stringify(record)}`);
  }

  gates(): GateRecord[] {
    return [...recordsOf(this.pruning), ...recordsOf(this.gatesFile)];
  }

  /**
   * Removes the records of gates from before that time; others may add records meanwhile. Returns how many there are, or were.
   * The list is moved away first, so that what is added goes into a new one; the records to keep follow.
   */
  pruneGates(before: number, remove: boolean): number {
    const { pruning, gatesFile } = this;
    if (!remove) return this.gates().filter(({ at }) => at < before).length;
    if (!existsSync(gatesFile) && !existsSync(pruning)) return 0;
    // One that an earlier, killed run left is finished first: moving would replace it.
    if (!existsSync(pruning)) renameSync(gatesFile, pruning);
    const records = recordsOf(pruning);
    const kept = records.filter(({ at }) => at >= before);
    if (kept.length > 0) appendFileSync(gatesFile, kept.map((one) => `\n${JSON.stringify(one)}`).join(""));
    rmSync(pruning);
    return records.length - kept.length;
  }

  private get gatesFile(): string {
    return join(this.folder, "gates.jsonl");
  }

  private get pruning(): string {
    return join(this.folder, "gates.pruning.jsonl");
  }

  /** The tip of a target branch that was last seen, and the one that a landing moves it to, so that other moves are noticed. */
  tipSeen(target: string): { readonly tip: string; readonly next: string } | null {
    return jsonIn(this.fileOf("tips", target));
  }

  seeTip(target: string, tip: string, next = tip): void {
    replace(this.fileOf("tips", target), { tip, next });
  }

  private waiting(): Waiting[] {
    const folder = join(this.folder, "waiting");
    return namesIn(folder).flatMap((name) => {
      const [, ticket, draft] = WAITING.exec(name) ?? [];
      const file = join(folder, name);
      if (ticket === undefined) return [];
      if (!isTicketHeld(ticket, file)) rmSync(file, { force: true });
      else if (draft === undefined) return jsonIn<Waiting>(file) ?? [];
      return [];
    });
  }

  private fileOf(kind: string, key: string): string {
    return join(this.made(kind), `${encodeURIComponent(key)}.json`);
  }

  private made(kind: string): string {
    const folder = join(this.folder, kind);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

const recordsOf = (file: string): GateRecord[] =>
  textIn(file)
    .split("\n")
    .flatMap((line) => {
      return tried(() => [JSON.parse(line) as GateRecord], []); // cut off
    });

function replace(file: string, value: object): void {
  writeFileSync(`${file}.tmp`, JSON.stringify(value));
  renameSync(`${file}.tmp`, file);
}
