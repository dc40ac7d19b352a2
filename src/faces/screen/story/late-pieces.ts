/**
 * The pieces of a reply and the stored reply come by two ways, so some pieces come when the reply has been read already, or several of them. They
 * are said then: this keeps them out. A text that only begins as they would is given back whole.
 */
export class LatePieces {
  /** Replies that were read, oldest first. `from`: what had come when it was read, `at`: what has come now. */
  private readonly read: { readonly whole: string; readonly from: number; at: number }[] = [];

  /** `whole` was read while `pieces` of it had come. */
  expect(whole: string, pieces: string): void {
    const come = pieces.trimStart();
    if (come !== "") this.read.length = 0; // those before it have come
    if (whole.length > come.length && whole.startsWith(come))
      this.read.push({ whole, from: come.length, at: come.length });
  }

  /** The new part of a piece. */
  fresh(piece: string): string {
    let text = piece;
    for (let [first] = this.read; first; [first] = this.read) {
      const { whole, from, at } = first;
      const rest = whole.slice(at);
      // White space around a model's words is not stored.
      const words = at === 0 ? text.trimStart() : text;
      if (words.length < rest.length && rest.startsWith(words)) {
        first.at += words.length;
        return "";
      }
      this.read.shift();
      if (!words.startsWith(rest)) text = whole.slice(from, at) + text;
      else if (words.slice(rest.length).trim() === "") return "";
      else text = words.slice(rest.length);
    }
    return text;
  }
}
