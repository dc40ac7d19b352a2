/**
 * An order of the person to the processes that run a team. It is a fact of the journal with its author, so that it reaches each process
 * wherever it runs, and nobody need know where that is. It holds until the process ends.
 */
import type { HostId, Instant, Name } from "../ids.ts";
import type { Mode } from "../permission/mode.ts";
import type { Effort } from "../settings/effort.ts";

/** `who` null: all members, also those that start later. */
export type Order =
  | { readonly kind: "mode"; readonly mode: Mode }
  | { readonly kind: "model"; readonly model: string; readonly who: Name | null }
  /** Null: as the settings say. */
  | { readonly kind: "effort"; readonly effort: Effort | null; readonly who: Name | null }
  /** US dollars and tokens that may be spent more; null: without a limit. */
  | { readonly kind: "budget"; readonly usd?: number | null; readonly tokens?: number | null }
  | { readonly kind: "interrupt"; readonly who: Name }
  /** A new teammate as `--teammate` names one, in the process of the lead. */
  | { readonly kind: "spawn"; readonly spawn: string; readonly who: Name }
  /** Sums up a conversation, or starts it over. */
  | { readonly kind: "compact"; readonly who: Name; readonly anew: boolean }
  /** The conversation continues after this call: its changes were undone. */
  | { readonly kind: "cut"; readonly who: Name; readonly call: string };

/** `until`: a process that hears it later leaves it, because nobody waits for it any more. */
export type OrderGiven = {
  readonly order: string;
  readonly what: Order;
  readonly by: Name;
  readonly until: Instant;
};
/** `isDone` false: refused, and `text` is the reason. `value`: what a program makes of it, as JSON. */
export type OrderEnd = {
  readonly order: string;
  readonly host: HostId;
  readonly isDone: boolean;
  readonly text: string;
  /** What the order gives back; where it was refused, the code of the error. */
  readonly value?: unknown;
};

/** The one member that it is for; null: the whole team. */
export const memberOf = (order: Order): Name | null => ("who" in order ? order.who : null);

/** "mode plan", "model openai/gpt-5 for bob", "budget 5 usd", "interrupt for alice". */
export function orderWords({ kind, ...more }: Order): string {
  const words = Object.entries(more).map(([key, value]: [string, unknown]) => {
    if (key === "who") return `for ${value ?? "all"}`;
    if (typeof value === "boolean") return value ? key : "";
    return `${value ?? (key === "effort" ? "as set" : "unlimited")}${key === kind ? "" : ` ${key}`}`;
  });
  return [kind, ...words.filter(Boolean)].join(" ");
}
