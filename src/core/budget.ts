/**
 * What a team and each of its teammates may use. Pure accounting; the host acts on the verdicts. Counts over the team's life, so
 * a resumed team that used up its budget needs a larger one.
 */
import { LEAD, type Name } from "./ids.ts";
import type { Spent } from "./member.ts";
import type { Settings } from "./settings.ts";

/** Turns are those of the whole team in this run. */
export type Allowance = Partial<
  Pick<
    Settings,
    "budgetTokens" | "budgetUsd" | "teammateBudgetTokens" | "teammateBudgetUsd" | "maxTurns" | "callsPerTask"
  >
>;

/** `who`: null for the team. */
export type Verdict = Readonly<
  | { kind: "warning"; who: Name | null; text: string }
  | { kind: "over"; who: Name | null; what: "budget" | "turns" | "calls"; text: string }
>;

const WARN_AT = 0.8;

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
    const { all, turns, tasks, calls } = this;
    const own = who === LEAD ? NOTHING : (this.own.get(who) ?? NOTHING);
    const perTask = `for each task of the board (${tasks})`;
    return [
      ...this.limit(null, "budget", all.tokens, budgetTokens, `The team's budget of ${budgetTokens} tokens`),
      ...this.limit(null, "budget", all.usd, budgetUsd, `The team's budget of $${budgetUsd}`),
      ...this.limit(null, "turns", turns, maxTurns, `The run's limit of ${maxTurns} turns`),
      ...this.limit(
        null,
        "calls",
        calls / tasks,
        callsPerTask,
        `The run's limit of ${callsPerTask} model calls ${perTask}`,
      ),
      ...this.limit(
        who,
        "budget",
        own.tokens,
        teammateBudgetTokens,
        `${who}'s budget of ${teammateBudgetTokens} tokens`,
      ),
      ...this.limit(who, "budget", own.usd, teammateBudgetUsd, `${who}'s budget of $${teammateBudgetUsd}`),
    ];
  }

  /** `text` names the limit. The generous one of calls is only told when it is reached. */
  private limit(
    who: Name | null,
    what: "budget" | "turns" | "calls",
    used: number,
    most: number | undefined,
    text: string,
  ): Verdict[] {
    if (most === undefined) return [];
    if (used >= most) return [{ kind: "over", who, what, text: `${text} is used up.` }];
    if (used < most * WARN_AT || what === "calls" || this.told.has(text)) return [];
    this.told.add(text);
    return [{ kind: "warning", who, text: `${text} is used up to ${Math.floor((used / most) * 100)} %.` }];
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
