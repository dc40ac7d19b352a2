/**
 * What a team and each of its teammates may use. Pure accounting; the host acts on the verdicts. Counts over the team's life, so
 * a resumed team that used up its budget needs a larger one.
 */
import { LEAD, type Name } from "./ids.ts";
import type { Spent } from "./member.ts";

export type Allowance = {
  /** Of all members together, input and output. */
  readonly budgetTokens?: number | undefined;
  readonly budgetUsd?: number | undefined;
  /** Of each teammate. */
  readonly teammateBudgetTokens?: number | undefined;
  readonly teammateBudgetUsd?: number | undefined;
  /** Turns of the whole team in this run. */
  readonly maxTurns?: number | undefined;
  /** Turns of the whole team in this run, for each task of the board. */
  readonly callsPerTask?: number | undefined;
};

/** `who`: null for the team. */
export type Verdict =
  | { readonly kind: "warning"; readonly who: Name | null; readonly text: string }
  | {
      readonly kind: "over";
      readonly who: Name | null;
      readonly what: "budget" | "turns" | "calls";
      readonly text: string;
    };

const WARN_AT = 0.8;

type Limit = { readonly key: string; readonly used: number; readonly of: number; readonly text: string };

type Used = { tokens: number; usd: number };
const NOTHING: Readonly<Used> = { tokens: 0, usd: 0 };

export class Budget {
  private readonly allowed: Allowance;
  private readonly own = new Map<Name, Used>();
  private readonly all: Used = { tokens: 0, usd: 0 };
  private turns = 0;
  /** Turns since the person last set a goal. */
  private calls = 0;
  private tasks = 1;
  private readonly told = new Set<string>();

  /** `before`: what the members had spent when this run began. A warning is given once a run. */
  constructor(allowed: Allowance, before: readonly (Spent & { readonly name: Name })[] = []) {
    this.allowed = allowed;
    for (const { name, inputTokens, outputTokens, usd } of before)
      this.count(name, inputTokens + outputTokens, usd);
  }

  /** Counts one turn. An exceeded limit is reported at every turn, a warning once. */
  spend(who: Name, tokens: number, usd: number): Verdict[] {
    this.count(who, tokens, usd);
    this.turns += 1;
    this.calls += 1;
    return this.judge(who);
  }

  /** The board has so many tasks now. True when the calls for each of them are used up. */
  hasUsedCalls(tasks: number): boolean {
    this.tasks = Math.max(1, tasks);
    return this.judge(LEAD).some((verdict) => verdict.kind === "over" && verdict.what === "calls");
  }

  /** A person who gives a new goal begins a new count of calls. */
  newGoal(): void {
    this.calls = 0;
  }

  /** The limits that are used up before any turn. */
  check(): Verdict[] {
    return [...new Set([...this.own.keys(), LEAD])]
      .flatMap((who) => this.judge(who))
      .filter((verdict, i, all) => all.findIndex((other) => other.text === verdict.text) === i);
  }

  private judge(who: Name): Verdict[] {
    const { budgetTokens, budgetUsd, teammateBudgetTokens, teammateBudgetUsd, maxTurns, callsPerTask } =
      this.allowed;
    const own = this.own.get(who) ?? NOTHING;
    const verdicts: Verdict[] = [];
    const limit = (
      about: Name | null,
      what: "budget" | "turns" | "calls",
      { key, used, of, text }: Limit,
    ): void => {
      if (used >= of) verdicts.push({ kind: "over", who: about, what, text: `${text} is used up.` });
      else if (used >= of * WARN_AT && !this.told.has(key)) {
        this.told.add(key);
        verdicts.push({
          kind: "warning",
          who: about,
          text: `${text} is used up to ${Math.floor((used / of) * 100)} %.`,
        });
      }
    };
    if (budgetTokens !== undefined)
      limit(null, "budget", {
        key: "tokens",
        used: this.all.tokens,
        of: budgetTokens,
        text: `The team's budget of ${budgetTokens} tokens`,
      });
    if (budgetUsd !== undefined)
      limit(null, "budget", {
        key: "usd",
        used: this.all.usd,
        of: budgetUsd,
        text: `The team's budget of $${budgetUsd}`,
      });
    if (maxTurns !== undefined)
      limit(null, "turns", {
        key: "turns",
        used: this.turns,
        of: maxTurns,
        text: `The run's limit of ${maxTurns} turns`,
      });
    if (callsPerTask !== undefined && this.calls >= callsPerTask * this.tasks)
      verdicts.push({
        kind: "over",
        who: null,
        what: "calls",
        text: `The run's limit of ${callsPerTask} model calls for each task of the board (${this.tasks}) is used up.`,
      });
    if (teammateBudgetTokens !== undefined && who !== LEAD)
      limit(who, "budget", {
        key: `tokens of ${who}`,
        used: own.tokens,
        of: teammateBudgetTokens,
        text: `${who}'s budget of ${teammateBudgetTokens} tokens`,
      });
    if (teammateBudgetUsd !== undefined && who !== LEAD)
      limit(who, "budget", {
        key: `usd of ${who}`,
        used: own.usd,
        of: teammateBudgetUsd,
        text: `${who}'s budget of $${teammateBudgetUsd}`,
      });
    return verdicts;
  }

  private count(who: Name, tokens: number, usd: number): void {
    const own = this.own.get(who) ?? { ...NOTHING };
    this.own.set(who, own);
    for (const used of [own, this.all]) {
      used.tokens += tokens;
      used.usd += usd;
    }
  }
}
