/**
 * Joins calls into rounds: while one round is under way the next calls wait, and then run as one round. With one transaction for a
 * round, its round trips and its commit cost the same for ten calls as for one. A call that comes alone does not wait.
 *
 * The calls of a round are of one kind, and the kinds take turns. If a round took claims and completions together, the members of a
 * busy process would stay in two halves: one claims while the other completes. Each round would then do both for half of them.
 */
import { setImmediate as turn } from "node:timers/promises";
import { isEkidenError } from "../../../core/errors.ts";

type Call<I, O> = {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
};

/** A longer round would keep its rows locked for long. */
const MOST = 50;

export type Rounds<I, O> = {
  /** Does a round as a whole or, if it throws, not at all. Returns one result for each item, in order. */
  readonly run: (items: readonly I[]) => Promise<readonly O[]>;
  /** Items of one key are never in the same round. */
  readonly keyOf: (item: I) => string;
  /** Items of two kinds are never in the same round. */
  readonly kindOf: (item: I) => string;
};

export class Group<I, O> {
  private readonly rounds: Rounds<I, O>;
  private waiting: Call<I, O>[] = [];
  private isRunning = false;
  /** The kind of the last round. */
  private kind: string | null = null;

  constructor(rounds: Rounds<I, O>) {
    this.rounds = rounds;
  }

  ask(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isRunning) void this.work();
    });
  }

  /** Each round takes the calls of the turn of the event loop before it: those whom the last round answered ask again in one turn. */
  private async work(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      await turn();
      await this.round(this.next());
    }
    this.isRunning = false;
  }

  private next(): Call<I, O>[] {
    const { keyOf, kindOf } = this.rounds;
    const kinds = this.waiting.map(({ item }) => kindOf(item));
    const kind = kinds.find((one) => one !== this.kind) ?? this.kind;
    const round = new Map<string, Call<I, O>>();
    const later: Call<I, O>[] = [];
    for (const [i, call] of this.waiting.entries()) {
      const key = keyOf(call.item);
      if (kinds[i] !== kind || round.has(key) || round.size === MOST) later.push(call);
      else round.set(key, call);
    }
    this.kind = kind;
    this.waiting = later;
    return [...round.values()];
  }

  private async round(calls: readonly Call<I, O>[]): Promise<void> {
    try {
      const results = await this.rounds.run(calls.map(({ item }) => item));
      for (const [i, { resolve }] of calls.entries()) resolve(results[i] as O);
    } catch (error) {
      if (calls.length === 1 || isEkidenError(error, "store_unavailable"))
        for (const { reject } of calls) reject(error);
      // One of them is refused. Alone, each gets its own answer.
      else for (const call of calls) await this.round([call]);
    }
  }
}
