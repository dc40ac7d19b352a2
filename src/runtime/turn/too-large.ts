/** The errors of a conversation that its model does not take, also summed up. They end the work of the member. */
import { EkidenError } from "../../core/errors.ts";
import type { Model } from "../../ports/index.ts";
import type { Agent } from "../agent/agent.ts";
import { sizeOfOpening } from "./size.ts";

export function doesNotFit({ seat, context }: Agent, model: Model, why: string): EkidenError {
  const { contextTokens, contextShare } = context;
  const isSetting = contextTokens !== undefined && contextTokens < model.window * contextShare;
  const [limit, advice] = isSetting
    ? [`the ${contextTokens} tokens of the setting contextTokens`, "Raise contextTokens"]
    : [`the ${model.window} tokens of ${model.spec}`, "Use a model with a larger window"];
  return new EkidenError(
    "context_overflow",
    `The conversation of ${seat.name} does not fit into ${limit}: ${why}. ${advice}, or make the task smaller.`,
  );
}

/** Nothing in it can be summed up. `why`: the provider's words. */
export function firstTooLarge(
  { seat, conversation, loadout }: Agent,
  { spec }: Model,
  characters: number,
  perToken: number,
  why: string,
): EkidenError {
  const opening = sizeOfOpening(conversation.opening ?? loadout.opening);
  const [tokens, begins] = [characters, opening].map((size) => Math.ceil(size / perToken));
  return new EkidenError(
    "context_overflow",
    `The first request of ${seat.name} is too large for ${spec}: it has about ${tokens} tokens, ${begins} of them tools, rules and project (${why.replace(/\.$/, "")}). Shorten the goal or the rules, or use a model that takes more.`,
  );
}
