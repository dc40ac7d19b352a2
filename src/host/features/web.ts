/**
 * Pages of the web and the search of the model's provider, behind the network rules. Where every host would be refused, neither is
 * offered: each costs tokens.
 */
import { textOf } from "../../core/conversation/chat.ts";
import { badInput } from "../../core/errors.ts";
import { hostsOf } from "../../core/sandbox/sandbox.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { record } from "../../runtime/turn/record.ts";
import { fetchUrl } from "../../tools/fetch-url.ts";
import { type SearchWeb, webSearch } from "../../tools/web-search.ts";
import type { MakeFeature, Setup } from "../setup.ts";

export const web: MakeFeature = (setup) => {
  const { web: at, parts, questions, model } = setup;
  const { allow, permissionMode } = parts.settings;
  if (!questions.isWatched && hostsOf(allow).length === 0 && permissionMode !== "bypass") return null;
  const fetch = fetchUrl(at.fetchPage, at.hosts.judgeFor);
  const tools = (agent: Agent) => (model.searches ? [fetch, webSearch(searching(setup, agent))] : [fetch]);
  return { tools };
};

/** The rules know a search as this host. */
const SEARCH_HOST = "https://web-search/";
const SEARCH_SYSTEM =
  "Search the web for what is asked. Answer in a few sentences with the facts that were found, their dates and versions. Say what was not found.";
const SEARCH_TOKENS = 4_000;

/** One question outside the conversation, which stays as it is. The member pays. */
const searching =
  ({ web: { hosts }, onCost }: Pick<Setup, "web" | "onCost">, agent: Agent): SearchWeb =>
  async (query, ctx) => {
    const { model, seat, clock, subagent } = agent;
    if (!model.searches) throw badInput(`${model.spec} has no web search. Continue without it.`);
    await hosts.judgeFor(ctx, SEARCH_HOST)(new URL(SEARCH_HOST));
    const began = clock.now();
    const {
      message,
      usage,
      usd,
      sources = [],
    } = await model.reply(
      {
        system: SEARCH_SYSTEM,
        messages: [{ role: "user", content: [{ type: "text", text: query }] }],
        tools: [],
        searchesWeb: true,
        maxOutputTokens: SEARCH_TOKENS,
      },
      { signal: ctx.signal },
    );
    const ms = clock.now() - began;
    const fact = {
      type: "turn.taken",
      who: seat.name,
      model: model.spec,
      ...usage,
      usd,
      ms,
      text: "",
    } as const;
    await record(agent, [], {
      facts: [{ ...fact, ...(subagent && { subagent }) }],
      spent: { turns: 0, ...usage, usd },
    });
    await onCost(seat.name, { tokens: usage.inputTokens + usage.outputTokens, usd });
    return { text: textOf(message), sources };
  };
