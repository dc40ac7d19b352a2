/** What the person says to members, above all to the lead: their own hooks hear it first, and may add to it or keep it back. */
import { LEAD, type MailId, PERSON } from "../../core/ids.ts";
import type { Parts } from "./parts.ts";

export class UserPrompts {
  private readonly parts: Pick<Parts, "store" | "hooks">;
  private readonly over: AbortSignal;
  private readonly onTold: () => Promise<void>;

  /** `over` cuts hooks short. `onTold`: the lead has mail, wherever it is. */
  constructor(parts: Pick<Parts, "store" | "hooks">, over: AbortSignal, onTold: () => Promise<void>) {
    this.parts = parts;
    this.over = over;
    this.onTold = onTold;
  }

  /** @throws EkidenError `not_permitted` with the hook's words */
  async tell(prompt: string): Promise<MailId> {
    const mail = await this.mail(await this.passed(prompt));
    await this.onTold();
    return mail;
  }

  /** To whatever member, as hooks leave it. @throws EkidenError `not_permitted` with the hook's words */
  passed(prompt: string, to: string = LEAD): Promise<string> {
    return this.parts.hooks.submit(prompt, to, this.over);
  }

  /** Of what has passed. */
  mail(text: string): Promise<MailId> {
    return this.parts.store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text } });
  }
}
