/** A text that the last line shows for a few seconds. It may ask for a key a second time: then the key has the time of the words. */
const SHOWN_MS = 6_000;
const READ_MS = 500;

export class Notice {
  text = "";
  private until = 0;
  /** The key that the text asks for; "" for none. */
  private key = "";

  say(text: string): void {
    this.text = text;
    this.until = Date.now() + SHOWN_MS;
    this.key = "";
  }

  /** Whether the key comes while the words that ask for it are shown; else they are shown now. */
  again(key: string, words: string): boolean {
    if (this.asksFor(key)) return true;
    this.say(words);
    this.key = key;
    return false;
  }

  asksFor(key: string): boolean {
    return this.key === key && Date.now() <= this.until;
  }

  /** Any other key takes the question back. */
  pressed(key: string): void {
    if (this.key !== "" && this.key !== key) this.say("");
  }

  /** Whether the last line may have changed since the look before. */
  passes(): boolean {
    const was = this.text !== "";
    if (this.until < Date.now()) this.say("");
    return was;
  }
}

type Says = "interrupts" | "returns" | null;

/** Esc in the view of a member does what the head line says, when that could be read; null before. */
export class EscKey {
  private says: Says = null;
  private since = 0;

  shown(says: Says): void {
    if (says !== this.says) this.since = Date.now();
    this.says = says;
  }

  get means(): Says {
    return Date.now() - this.since < READ_MS ? null : this.says;
  }
}
