/** `ekiden transcript`: a whole conversation, including what a compaction has removed from the model's context. */
import { speaker } from "../../../core/ids.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import { transcriptViews } from "../../../core/views/transcript.ts";
import { withTeam } from "../../../project/open.ts";
import { follow } from "../../../team/queries/journal.ts";
import { transcript } from "../../../team/queries/transcript.ts";
import { followUntilInterrupted } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

export const run: Run<{ follow?: boolean }> = async (call, [text = ""], options) => {
  const { member } = speaker(text);
  return await withTeam(call, "look", async (store) => {
    if (!options.follow) {
      await call.show(await transcript(store, text), transcriptViews);
      return undefined;
    }
    let after = 0;
    const more = async (): Promise<void> => {
      const found = await transcript(store, text, after);
      if (found.entries.length === 0) return;
      after = found.entries.at(-1)?.seq ?? after;
      if (!call.json) return await call.show(found, transcriptViews);
      for (const entry of found.entries) call.out.write(jsonLine(entry));
    };
    return await followUntilInterrupted(call, async (signal) => {
      const end = await store.journal.end();
      await more();
      // Every entry comes with a fact of its member: a turn, a call, a mail.
      for await (const events of follow(store, end, signal))
        if (events.some((event) => Object.values(event).includes(member))) await more();
    });
  });
};
