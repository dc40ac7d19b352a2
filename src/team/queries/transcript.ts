/** A conversation, including what a compaction has removed from the model's context. Views: core/views/transcript.ts. */
import { type ContextData, contextParts } from "../../core/conversation/context.ts";
import { notFound } from "../../core/errors.ts";
import { type Name, speaker, subagentName } from "../../core/ids.ts";
import { contextAfter } from "../../core/picture/spent.ts";
import { windowOf } from "../../core/settings/models.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { TranscriptData } from "../../core/views/transcript.ts";
import type { Recorded, Store } from "../../ports/index.ts";
import { mustExist } from "./team.ts";

/** `name`: a member ("alice") or one of its subagents ("alice/1"). `after`: only the entries after this one. @throws EkidenError `bad_input` | `not_found` */
export async function transcript(store: Store, name: string, after = 0): Promise<TranscriptData> {
  const { who, member } = speaker(name);
  const entries: Recorded[] = [];
  for await (const page of store.transcript.pages(who, after)) entries.push(...page);
  if (entries.length === 0 && after === 0) {
    await mustExist(store, member);
    if (who !== member) throw notFound(`${member} has had no subagent "${who}".`);
  }
  return { name: who, entries };
}

/** The number of subagents that a member has had. Their numbers have no gaps, so few are looked for. */
export async function subagentsOf(store: Store, member: Name): Promise<number> {
  const has = async (n: number): Promise<boolean> =>
    (await store.transcript.last(subagentName(member, n), 1)).length > 0;
  let [known, above] = [0, 1];
  while (await has(above)) [known, above] = [above, above * 2];
  while (above - known > 1) {
    const middle = Math.floor((known + above) / 2);
    if (await has(middle)) known = middle;
    else above = middle;
  }
  return known;
}

/** What fills the context window of a member. @throws EkidenError `not_found` */
export async function context(store: Store, who: Name, settings: Settings): Promise<ContextData> {
  await mustExist(store, who);
  let [used, model]: [number | null, string] = [null, ""];
  for await (const { events } of store.journal.pages(store.journal.from(0), ["turn.taken"]))
    for (const turn of events)
      if (turn.type === "turn.taken" && turn.who === who && turn.subagent === undefined)
        [used, model] = [contextAfter(turn), turn.model];
  const parts = contextParts(await store.transcript.current(who));
  // Nobody knows the window of an agent program.
  const window = model.includes("/")
    ? windowOf(model.slice(model.indexOf("/") + 1), settings.models[model])
    : null;
  return { name: who, model, tokens: used, window, parts };
}
