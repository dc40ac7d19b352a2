/**
 * What a team and each of its teammates may use. Pure accounting; whoever hosts the team acts on the verdicts. Counted over the
 * team's life, so that a resumed team needs more and does not start at nothing.
 */
import { LEAD, type Name } from "./ids.ts";
import type { Spent } from "./member.ts";

export type Allowance = {
  /** Of all members together, input and output. */
  readonly budgetTokens?: number | undefined;
  readonly budgetUsd?: number | undefined;
  /** Of each teammate. */
  readonly teammateBudgetTokens?: number | undefined;
  /** Turns of the whole team in this run. */
  readonly maxTurns?: number | undefined;
};

/** `who`: null for the team. */
export type Verdict =
  | { readonly kind: "warning"; readonly who: Name | null; readonly text: string }
  | {
      readonly kind: "over";
      readonly who: Name | null;
      readonly what: "budget" | "turns";
      readonly text: string;
    };

const WARN_AT = 0.8;

type Limit = { readonly key: string; readonly used: number; readonly of: number; readonly text: string };

export class Budget {
  private readonly allowed: Allowance;
  private readonly tokens = new Map<Name, number>();
  private all = 0;
  private usd = 0;
  private turns = 0;
  private readonly told = new Set<string>();

  /** `before`: what the members had spent when this run began. A warning is given once a run. */
  constructor(allowed: Allowance, before: readonly (Spent & { readonly name: Name })[] = []) {
    this.allowed = allowed;
    for (const { name, inputTokens, outputTokens, usd } of before)
      this.count(name, inputTokens + outputTokens, usd);
  }

  /** Books one turn. What is over is said again at every turn; a warning once. */
  spend(who: Name, tokens: number, usd: number): Verdict[] {
    this.count(who, tokens, usd);
    this.turns += 1;
    return this.judge(who);
  }

  /** What is used up already, before anybody has taken a turn. */
  check(): Verdict[] {
    return [...new Set([...this.tokens.keys(), LEAD])]
      .flatMap((who) => this.judge(who))
      .filter((verdict, i, all) => all.findIndex((other) => other.text === verdict.text) === i);
  }

  private judge(who: Name): Verdict[] {
    const { budgetTokens, budgetUsd, teammateBudgetTokens, maxTurns } = this.allowed;
    const own = this.tokens.get(who) ?? 0;
    const verdicts: Verdict[] = [];
    const limit = (about: Name | null, what: "budget" | "turns", { key, used, of, text }: Limit): void => {
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
        used: this.all,
        of: budgetTokens,
        text: `The team's budget of ${budgetTokens} tokens`,
      });
    if (budgetUsd !== undefined)
      limit(null, "budget", {
        key: "usd",
        used: this.usd,
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
    if (teammateBudgetTokens !== undefined && who !== LEAD)
      limit(who, "budget", {
        key: `tokens of ${who}`,
        used: own,
        of: teammateBudgetTokens,
        text: `${who}'s budget of ${teammateBudgetTokens} tokens`,
      });
    return verdicts;
  }

  private count(who: Name, tokens: number, usd: number): void {
    this.tokens.set(who, (this.tokens.get(who) ?? 0) + tokens);
    this.all += tokens;
    this.usd += usd;
  }
}
