/** `ekiden transcript`: a whole conversation, also what a compaction has taken out of the model's sight. */
import { name } from "../../core/ids.ts";
import { type Line, transcriptViews } from "../../core/transcript-view.ts";
import type { Call } from "../call.ts";
import { withTeam } from "../open.ts";
import { mustExist } from "./inbox.ts";

const PAGE = 500;

export async function run(call: Call, [text = ""]: readonly string[]): Promise<undefined> {
  const who = name(text);
  await withTeam(call, "look", async (store) => {
    await mustExist(store, who);
    const entries: Line[] = [];
    for (let after = 0; ; ) {
      const page = await store.transcript.all(who, after, PAGE);
      entries.push(...page);
      after = page.at(-1)?.seq ?? after;
      if (page.length < PAGE) break;
    }
    const data = { name: who, entries };
    await call.show(data, () => transcriptViews(data));
  });
}
