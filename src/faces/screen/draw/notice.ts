/** A text that the last line shows for a few seconds. */
const SHOWN_MS = 6_000;

export class Notice {
  text = "";
  private until = 0;

  say(text: string): void {
    this.text = text;
    this.until = Date.now() + SHOWN_MS;
  }

  /** Whether the last line may have changed since the look before. */
  passes(): boolean {
    const was = this.text !== "";
    if (this.until < Date.now()) this.text = "";
    return was;
  }
}
