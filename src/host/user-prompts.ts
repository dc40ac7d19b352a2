/** Prompts of the person to members. The person's hooks run first and may add to a prompt or refuse it. */
import type { Image } from "../core/conversation/image.ts";
import type { Fact } from "../core/event.ts";
import { LEAD, type MailId, PERSON } from "../core/ids.ts";
import type { Parts } from "./parts.ts";

export class UserPrompts {
  private readonly parts: Pick<Parts, "store" | "hooks">;
  private readonly over: AbortSignal;
  private readonly onTold: () => Promise<void>;

  /** `over` interrupts hooks. `onTold`: the lead has new mail. */
  constructor(parts: Pick<Parts, "store" | "hooks">, over: AbortSignal, onTold: () => Promise<void>) {
    this.parts = parts;
    this.over = over;
    this.onTold = onTold;
  }

  /** `begins`: facts that are noted in the same step. @throws EkidenError `not_permitted` with the hook's words */
  async tell(prompt: string, images: readonly Image[] = [], begins?: readonly Fact[]): Promise<MailId> {
    const body = {
      kind: "note",
      text: await this.passed(prompt),
      ...(images.length > 0 && { images }),
    } as const;
    const mail = await this.parts.store.mail.send(PERSON, { to: LEAD, body }, undefined, begins);
    await this.onTold();
    return mail;
  }

  /** The prompt to a member, as the hooks change it. @throws EkidenError `not_permitted` with the hook's words */
  passed(prompt: string, to: string = LEAD): Promise<string> {
    return this.parts.hooks.submit(prompt, to, this.over);
  }
}
