/** `/budget`: the limits of the team in a conversation. */
import type { Order } from "../../../core/board/orders.ts";
import { badInput } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { tokens } from "../../../core/views/view.ts";
import type { Limits } from "../../../host/money/spent.ts";
import type { OwnCommands, ReplContext } from "./context.ts";

/** Said behind the limit that is used up. */
export const RAISE = "The team waits. /budget 5 allows 5 US dollars more, /budget none takes the limit away.";

export const budget: OwnCommands<ReplContext>[string] = {
  usage: "/budget [USD|N tokens|none]",
  about:
    "what the team has used; or allow more US dollars or tokens, or remove the limit, until the team stops",
  run: async ({ host, call }, words) => {
    const { limits } = host.spending;
    call.done(words.length > 0 ? await host.order(readMore(words)) : { data: limits, text: lineOf(limits) });
  },
};

export function readMore(words: readonly string[]): Order {
  const said = words.join(" ");
  const [, amount = "", unit = "usd"] = /^\$?(none|\d+(?:\.\d+)?)(?: (usd|tokens))?$/i.exec(said) ?? [];
  const more = amount.toLowerCase() === "none" ? null : Number(amount);
  if (more === null || more > 0)
    return { kind: "budget", ...(unit.toLowerCase() === "tokens" ? { tokens: more } : { usd: more }) };
  throw badInput(
    `${quote(said)} is not a budget. Give US dollars to add ("/budget 5"), tokens ("/budget 100000 tokens"), or "/budget none".`,
  );
}

/** "Used: $0.02 of $5.02, 12k tokens." */
function lineOf({ usd, mostUsd, tokens: used, mostTokens }: Limits): string {
  const dollars = (value: number): string => `$${value.toFixed(2)}`;
  const ofUsd = Number.isFinite(mostUsd) ? ` of ${dollars(mostUsd)}` : " without a limit";
  const ofTokens = Number.isFinite(mostTokens) ? ` of ${tokens(mostTokens)}` : "";
  return `Used: ${dollars(usd)}${ofUsd}, ${tokens(used)}${ofTokens} tokens.`;
}
