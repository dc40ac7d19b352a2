/**
 * The budgets of a team and of each of its teammates. Pure accounting; the host acts on the verdicts. Budgets that the person gave count over
 * the team's life; turns and the default limit of money count from the beginning of a run, over all its resumes.
 */

import type { Spent } from "./board/member.ts";
import { LEAD, type Name } from "./ids.ts";
import type { Settings } from "./settings/settings.ts";

export type Allowance = Partial<
  Pick<Settings, "budgetTokens" | "budgetUsd" | "teammateBudgetTokens" | "teammateBudgetUsd" | "maxTurns">
>;

/** The use of a team when the run began. */
export type RunStart = { readonly turns: number; readonly usd: number };

/** The amount that a person allows beyond the use until now. Infinity dollars: no limit of money or tokens. */
export type More = { readonly usd?: number; readonly tokens?: number };

/** US dollars of a run without `budgetUsd`. */
export const DEFAULT_RUN_USD = 20;

/** `who`: null for the team. `goOn`: the options of `ekiden resume` that raise the limit. */
export type Verdict = Readonly<
  | { kind: "warning"; who: Name | null; text: string }
  | { kind: "over"; who: Name | null; what: "budget" | "turns"; text: string; goOn: string }
>;

const WARN_AT = 0.8;

type Used = { tokens: number; usd: number };
const NOTHING: Readonly<Used> = { tokens: 0, usd: 0 };

export class Budget {
  private allowed: Allowance;
  private readonly own = new Map<Name, Used>();
  private readonly all: Used = { tokens: 0, usd: 0 };
  private turns = 0;
  private start: RunStart;
  private readonly told = new Set<string>();

  /** `before`: the spending of the members when this process began. A warning is given once a process. */
  constructor(
    allowed: Allowance,
    before: readonly (Pick<Spent, "inputTokens" | "outputTokens" | "usd"> & {
      readonly name: Name;
      readonly turns?: number;
    })[] = [],
    start: RunStart = { turns: 0, usd: 0 },
  ) {
    this.allowed = allowed;
    this.start = start;
    for (const { name, turns = 0, inputTokens, outputTokens, usd } of before) {
      this.count(name, inputTokens + outputTokens, usd);
      this.turns += turns;
    }
  }

  /** The use of the team in its whole life. */
  get used(): RunStart & { readonly tokens: number } {
    return { ...this.all, turns: this.turns };
  }

  /** The limits for the whole life of the team. */
  get most(): { readonly mostUsd: number; readonly mostTokens: number } {
    const { budgetUsd = this.start.usd + DEFAULT_RUN_USD, budgetTokens = Number.POSITIVE_INFINITY } =
      this.allowed;
    return { mostUsd: budgetUsd, mostTokens: budgetTokens };
  }

  /** A run begins now. */
  beginRun(): RunStart {
    this.start = { turns: this.turns, usd: this.all.usd };
    return this.start;
  }

  /** Raises the limits by these amounts. A limit that is not named and is used up is raised by its own amount. */
  allowMore({ usd, tokens }: More): void {
    const { budgetTokens, budgetUsd, maxTurns } = this.allowed;
    const { all } = this;
    const again = (used: number, most?: number): number | undefined =>
      most !== undefined && used >= most ? used + most : most;
    const moreTokens = usd === Number.POSITIVE_INFINITY ? usd : tokens;
    this.allowed = {
      ...this.allowed,
      budgetUsd: usd === undefined ? budgetUsd : all.usd + usd,
      budgetTokens: moreTokens === undefined ? again(all.tokens, budgetTokens) : all.tokens + moreTokens,
      maxTurns: again(this.turns - this.start.turns, maxTurns),
    };
    this.told.clear();
  }

  /** Counts one turn. An exceeded limit is reported at every turn, a warning once. */
  spend(who: Name, tokens: number, usd: number): Verdict[] {
    this.count(who, tokens, usd);
    this.turns += 1;
    return this.judge(who);
  }

  /** The limits that are used up before any turn. */
  check(): Verdict[] {
    return [...new Set([...this.own.keys(), LEAD])]
      .flatMap((who) => this.judge(who))
      .filter((verdict, i, all) => all.findIndex((other) => other.text === verdict.text) === i);
  }

  private judge(who: Name): Verdict[] {
    const { budgetTokens, budgetUsd, teammateBudgetTokens, teammateBudgetUsd, maxTurns } = this.allowed;
    const { all, start } = this;
    const turns = this.turns - start.turns;
    const own = who === LEAD ? NOTHING : (this.own.get(who) ?? NOTHING);
    const team = `The team's budget of`;
    const more = (used: number, most = 0): number => Math.ceil(used + most);
    const dollars = `--budget-usd ${more(all.usd, budgetUsd ?? DEFAULT_RUN_USD)}`;
    const raised = (setting: string, value: number): string => `EKIDEN_${setting}=${value}`;
    return [
      this.limit(
        null,
        "budget",
        all.tokens,
        budgetTokens,
        `${team} ${budgetTokens} tokens`,
        `--budget-tokens ${more(all.tokens, budgetTokens)}`,
      ),
      budgetUsd === undefined
        ? this.limit(
            null,
            "budget",
            all.usd - start.usd,
            DEFAULT_RUN_USD,
            `The default budget of $${DEFAULT_RUN_USD} for a run`,
            dollars,
          )
        : this.limit(null, "budget", all.usd, budgetUsd, `${team} $${budgetUsd}`, dollars),
      this.limit(
        null,
        "turns",
        turns,
        maxTurns,
        `The run's limit of ${maxTurns} turns`,
        `--max-turns ${more(turns, maxTurns)}`,
      ),
      this.limit(
        who,
        "budget",
        own.tokens,
        teammateBudgetTokens,
        `${who}'s budget of ${teammateBudgetTokens} tokens`,
        raised("TEAMMATE_BUDGET_TOKENS", more(own.tokens, teammateBudgetTokens)),
      ),
      this.limit(
        who,
        "budget",
        own.usd,
        teammateBudgetUsd,
        `${who}'s budget of $${teammateBudgetUsd}`,
        raised("TEAMMATE_BUDGET_USD", more(own.usd, teammateBudgetUsd)),
      ),
    ].flat();
  }

  /** `text` names the limit. */
  private limit(
    who: Name | null,
    what: "budget" | "turns",
    used: number,
    most: number | undefined,
    text: string,
    goOn: string,
  ): Verdict[] {
    if (most === undefined) return [];
    if (used >= most) return [{ kind: "over", who, what, text: `${text} is used up.`, goOn }];
    if (used < most * WARN_AT || this.told.has(text)) return [];
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
