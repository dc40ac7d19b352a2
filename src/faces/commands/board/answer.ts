/** `ekiden answer`: the person answers a plan or a permission question from any terminal, also one to a member. */

import { refuseMember } from "../../../project/member-shell.ts";
import { withTeam } from "../../../project/open.ts";
import { answer } from "../../../team/actions/answer.ts";
import type { Run } from "../entry.ts";

export const run: Run = async (call, [id = "", word = "", ...text]) => {
  // A member may not grant itself what it asks for.
  refuseMember(
    call.env,
    "this is a member's command, and only a person answers here. Leave the question to them.",
  );
  await withTeam(call, "use", async (store) => {
    const { data, text: done } = await answer(store, id, word, text.join(" "));
    const { ask, by, state, answer: given } = data;
    call.done({ data: { id: data.id, kind: ask.kind, by, state, answer: given }, text: done });
  });
};
