/**
 * Everything that is shown, as values: a `View` is printed by the shell, drawn on a screen, or rendered by a page. Pure functions
 * make *data* from the store's values (`--json` prints it) and *views* from the data.
 */
import type { Instant } from "../ids.ts";
import type { Colour } from "./identity.ts";

/** The meaning of a text; each medium has its own look for it. */
export type Tone = "plain" | "strong" | "dim" | "good" | "busy" | "warn" | "bad";
/** `colour`: that of a member, instead of a tone. */
export type Cell = { readonly text: string; readonly tone?: Tone; readonly colour?: Colour };
export type Column = {
  readonly name: string;
  readonly align?: "right";
  /** Shrinks when space is short. */
  readonly grow?: true;
  /** Left out when there is not room for all columns. */
  readonly minor?: true;
};
/** A column of numbers. */
export const right = (name: string): Column => ({ name, align: "right" });
export type Figure = {
  readonly label: string;
  readonly text: string;
  readonly tone?: Tone;
  /** 0 to 1: drawn as a bar. */
  readonly share?: number;
};
export type FeedLine = {
  readonly at: Instant | null;
  readonly who: string;
  readonly text: string;
  readonly tone: Tone;
};

export type View =
  | {
      readonly kind: "table";
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Cell[])[];
      /** Shown without rows. */
      readonly empty: string;
    }
  | { readonly kind: "figures"; readonly figures: readonly Figure[] }
  | { readonly kind: "feed"; readonly lines: readonly FeedLine[]; readonly empty: string };

/** "10,000" */
export const figure = (count: number): string => count.toLocaleString("en");

/** "1 task", "3 tasks" */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** 950 → "0s", 61,000 → "1m01s", 3,700,000 → "1h01m". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  if (minutes < 60) return `${minutes}m`;
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3600)}h${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3600)}h`;
}

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

export const money = (usd: number): string => (usd === 0 ? "" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`);
