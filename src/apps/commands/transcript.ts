/** `ekiden transcript`: a whole conversation, also what a compaction has taken out of the model's sight. */
import { EkidenError } from "../../core/errors.ts";
import { speaker } from "../../core/ids.ts";
import { type Line, transcriptViews } from "../../core/views/transcript.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { mustExist } from "./inbox.ts";

const PAGE = 500;

export async function run(call: Invocation, [text = ""]: readonly string[]): Promise<undefined> {
  const { who, member } = speaker(text);
  await withTeam(call, "look", async (store) => {
    await mustExist(store, member);
    const entries: Line[] = [];
    for (let after = 0; ; ) {
      const page = await store.transcript.all(who, after, PAGE);
      entries.push(...page);
      after = page.at(-1)?.seq ?? after;
      if (page.length < PAGE) break;
    }
    if (entries.length === 0 && who !== member)
      throw new EkidenError("not_found", `${member} has had no subagent "${who}".`);
    const data = { name: who, entries };
    await call.show(data, () => transcriptViews(data));
  });
}
