/** Messages of the person that nobody has read: each terminal marks them, also those of another terminal, and a key takes them back into the editor. */

import { type Mail, words } from "../../../core/board/mail.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Event } from "../../../core/event.ts";
import { PERSON } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import { takeBack } from "../../../team/actions/mail.ts";
import type { Story } from "./story.ts";
import type { TeamModel } from "./team.ts";

function show(team: TeamModel, { id, from, to, body, deliveredAt }: Mail): void {
  if (from === PERSON && body.kind === "note" && deliveredAt === null) team.story(to).unread(id, words(body));
}

/** Those that wait when a terminal opens. */
export async function readQueued(store: Store, team: TeamModel): Promise<void> {
  for (const { to } of await store.mail.unreadNotes())
    for (const mail of await store.mail.box(to, undefined, PERSON)) show(team, mail);
}

export async function followQueued(event: Event, store: Store, team: TeamModel): Promise<void> {
  if (event.type === "mail.withdrawn") team.stories.get(event.to)?.takenBack(event.mail);
  if (event.type !== "mail.sent" || event.from !== PERSON || event.kind !== "note") return;
  const mail = await store.mail.mail(event.mail);
  if (mail) show(team, mail);
}

type Face = { note(text: string): void; giveBack(line: string): void };

/** Whether there was one. It comes into the editor, before what was typed meanwhile, or the person is told why not. */
export function takeQueued(store: Store | null, story: Story | undefined, face: Face): boolean {
  const block = story?.queued;
  if (!store || !story || !block) return false;
  if (block.mail === null) face.note("it is still being sent");
  else
    takeBack(store, PERSON, block.mail).then(
      ({ data: { body } }) => {
        story.drop(block);
        face.giveBack(block.typed ?? words(body));
        face.note("taken back: nobody has read it; enter sends it again");
      },
      (error: unknown) => {
        block.isQueued = false;
        face.note(messageOf(error));
      },
    );
  return true;
}
