/** `ekiden send`: mail from the person, or from the member in whose shell it was typed. It reaches a member before its next model call. */
import { PERSON } from "../../../core/ids.ts";
import { withTeam } from "../../../project/open.ts";
import { attachedTo, checkLetter, sendMail } from "../../../team/actions/mail.ts";
import { actorOf } from "../../../team/actor.ts";
import type { Run } from "../entry.ts";

export const run: Run<{ urgent?: boolean }> = async (call, [to = "", ...words], options) => {
  const letter = { to, text: words.join(" "), urgent: options.urgent === true };
  const settings = await call.settings();
  checkLetter(letter, settings);
  await withTeam(call, "use", async (store) => {
    const actor = await actorOf(call, store);
    // A member might name what it may not read.
    const images = actor === PERSON ? await attachedTo(letter.text, call.cwd) : [];
    call.done(await sendMail(store, actor, { ...letter, images }, { settings, cwd: call.cwd }));
  });
};
