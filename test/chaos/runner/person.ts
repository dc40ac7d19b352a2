/** The orders of a person in the middle of the work, each given by a program of its own. */
import { setTimeout as delay } from "node:timers/promises";
import { inSnapshot } from "../checker/read.ts";
import type { Dice, WorkPlan } from "./work.ts";

/** Times that an order is given before it is given up: the database may be away. */
const ORDERS_MAX = 60;
const PAUSE_MS = 500;

export type PersonOptions = {
  readonly plan: WorkPlan;
  readonly dice: Dice;
  /** Where the tables are read. */
  readonly url: string;
  readonly team: string;
  /** Runs the program; true if it ended well. */
  readonly says: (...words: string[]) => Promise<boolean>;
};

type Row = { readonly id: string; readonly status: string; readonly owner: string | null };

export class Person {
  private readonly options: PersonOptions;

  constructor(options: PersonOptions) {
    this.options = options;
  }

  /** A task is given to a member of the process that continues to the end. */
  async order(): Promise<boolean> {
    const { plan, dice, says } = this.options;
    if (plan.isRunbook) return false;
    const kind = Math.floor(dice() * 4);
    const id = await this.pick(({ status }) => status === (kind === 3 ? "pending" : "in_progress"));
    if (id === null) return false;
    if (kind === 3) return (await says("take", id)) && (await this.until(id, "release", isWithPerson));
    if (kind === 0) return says("release", id);
    if (kind === 1) return says("edit", id, "--description", "Do it soon.");
    return says("edit", id, "--assign", plan.members[dice() < 0.5 ? 0 : 1] ?? "");
  }

  /** A task is completed, failed or cancelled by hand. The last two are tried again, so that the board can be done. */
  async byHand(): Promise<boolean> {
    const { plan, dice, says } = this.options;
    const kind = Math.floor(dice() * 4);
    // Parts are cancelled with their whole, whatever ends it, and are not tried again with it.
    const isWhole = ({ id }: Row): boolean => plan.splits.has(Number(id));
    const isPart = ({ id }: Row): boolean => Number(id) > plan.tasks;
    const isOpen = ({ status }: Row): boolean => /pending|in_progress/.test(status);
    const id = await this.pick((row) => isOpen(row) && !isWhole(row) && (kind < 2 || !isPart(row)));
    if (id === null) return false;
    if (kind === 0) return says("done", id, "done by hand");
    if (kind === 1) return (await says("take", id)) && (await this.until(id, "done", isWithPerson));
    const isGiven = await says(kind === 2 ? "fail" : "cancel", id, "not now");
    await this.until(id, "retry", ({ status }) => /failed|cancelled/.test(status));
    return isGiven;
  }

  /** Gives the order as long as the task is as it was. */
  private async until(id: string, word: string, isMeant: (row: Row) => boolean): Promise<boolean> {
    for (let left = ORDERS_MAX; left > 0; left -= 1) {
      const row = (await this.rows())?.find((one) => one.id === id);
      if (row && !isMeant(row)) return true;
      if (row && (await this.options.says(word, id))) return true;
      await delay(PAUSE_MS);
    }
    return false;
  }

  private async pick(isMeant: (row: Row) => boolean): Promise<string | null> {
    const found = ((await this.rows()) ?? []).filter(isMeant);
    return found[Math.floor(this.options.dice() * found.length)]?.id ?? null;
  }

  /** Null: the database is away. */
  private async rows(): Promise<Row[] | null> {
    const { url, team } = this.options;
    const text = `select id, status, owner from tasks where team = '${team}'`;
    const rows = await inSnapshot(url, (ask) => ask(text)).catch(() => null);
    return (
      rows?.map(({ id, status, owner }) => ({
        id: String(id),
        status: String(status),
        owner: owner === null ? null : String(owner),
      })) ?? null
    );
  }
}

const isWithPerson = ({ status, owner }: Row): boolean => status === "in_progress" && owner === "person";
