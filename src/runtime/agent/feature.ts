/**
 * A feature is one capability of a member. The order of an agent's features is the order of the sections of its prompt and of the
 * wraps around its calls, the first outermost. Together they make its loadout, which is replaced as a whole.
 */

import type { Entry, Opening, Told } from "../../core/conversation/chat.ts";
import { digest } from "../../core/conversation/prefix.ts";
import { updated } from "../../core/conversation/prompt.ts";
import { wellFormed } from "../../core/text/valid.ts";
import type { Tool } from "../../ports/index.ts";
import { record } from "../turn/record.ts";
import type { Agent, Loadout, Section } from "./agent.ts";
import { wrapped } from "./call.ts";

const NO_OPENING: Opening = { system: "", tools: [], shared: "", own: "", told: {} };
export const EMPTY: Loadout = { opening: NO_OPENING, tools: new Map(), readable: [], run: wrapped([]) };

/** Collects the features again, and tells the conversation what has changed since it began. */
export async function beginStint(agent: Agent): Promise<void> {
  await Promise.all(agent.features.map((feature) => feature.refresh?.()));
  const sections = await collect(agent);
  const { conversation, loadout } = agent;
  if (!conversation.opening) return;
  const late = toolChanges(conversation.opening, loadout.tools);
  const now: ToldSection[] = [
    ...sections.filter(({ about }) => about !== ""),
    { about: TOOLS, text: late, ofProgram: true },
  ];
  const changed = now.filter(({ about, text }) => (conversation.told[about] ?? NOTHING) !== digest(text));
  const [own, others] = [changed.filter((one) => one.ofProgram), changed.filter((one) => !one.ofProgram)];
  const entries = [
    ...(others.length > 0 ? [newsOf(others)] : []),
    ...(own.length > 0 ? [{ ...newsOf(own), ofProgram: true } as const] : []),
  ];
  if (entries.length === 0) return;
  await record(agent, entries);
  for (const entry of entries) conversation.add(entry);
}

type ToldSection = Pick<Section, "about" | "text" | "ofProgram">;

const newsOf = (sections: readonly ToldSection[]): Extract<Entry, { kind: "heard" }> => ({
  kind: "heard",
  text: sections.map(({ about, text }) => updated(about, text)).join("\n"),
  told: toldBy(sections),
});

const TOOLS = "tools";
const NOTHING = digest("");
const toldBy = (sections: readonly ToldSection[]): Told =>
  Object.fromEntries(sections.map(({ about, text }) => [about, digest(text)]));

/** Collects the features as they are now. Returns their sections, also those without text. */
export async function collect(agent: Agent): Promise<readonly Section[]> {
  const { features, specOf } = agent;
  const offered = (await Promise.all(features.map((feature) => feature.tools?.(agent) ?? []))).flat();
  const named = new Map(offered.map((tool) => [tool.name, tool]));
  const tools = features.reduce<readonly Tool[]>(
    (left, feature) => feature.narrow?.(left) ?? left,
    [...named.values()],
  );
  const sections = features
    .flatMap((feature) => feature.sections?.() ?? [])
    .map((section) => ({ ...section, text: wellFormed(section.text) }));
  const at = (place: Section["place"]): string =>
    sections.flatMap((one) => (one.place === place && one.text) || []).join("\n\n");
  agent.loadout = {
    opening: {
      system: at("system"),
      tools: tools.filter((tool) => !tool.unlisted).map(specOf),
      shared: at("shared"),
      own: at("own"),
      told: toldBy(sections.filter(({ about }) => about !== "")),
    },
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    readable: features.flatMap((feature) => feature.readable?.() ?? []),
    run: wrapped(features.flatMap((feature) => feature.wrap ?? [])),
  };
  return sections;
}

/** The differences between the list of tools at the beginning of a conversation and the tools of now; "" for none. */
function toolChanges({ tools: begun }: Opening, now: ReadonlyMap<string, Tool>): string {
  const known = new Set(begun.map(({ name }) => name));
  const gone = begun.flatMap(({ name }) => (now.has(name) ? [] : [name]));
  const late = [...now.values()].flatMap(({ name, unlisted }) => (known.has(name) || unlisted ? [] : [name]));
  const passes = [...now.values()].find((tool) => tool.passesOn && known.has(tool.name));
  return [
    ...(gone.length > 0 ? [`These cannot be called now: ${gone.join(", ")}.`] : []),
    ...(late.length > 0
      ? [
          `These came up since this conversation began: ${late.join(", ")}. ${passes ? `${passes.name} calls them.` : "You have them from your next conversation on."}`,
        ]
      : []),
  ].join("\n");
}
