/**
 * The pieces of a reply and the stored reply come by two ways, so some pieces come when the reply has been read already. They are said then: this
 * keeps them out. A text that only begins as they would is given back whole.
 */
export class LatePieces {
  private whole = "";
  private from = 0;
  private at = 0;

  /** `whole` was read while `pieces` of it had come. */
  expect(whole: string, pieces: string): void {
    const come = pieces.trimStart();
    this.whole = whole.startsWith(come) ? whole : "";
    this.from = come.length;
    this.at = come.length;
  }

  /** The new part of a piece. */
  fresh(piece: string): string {
    const { whole, from, at } = this;
    const rest = whole.slice(at);
    // White space around a model's words is not stored.
    const text = at === 0 ? piece.trimStart() : piece;
    if (rest === "") return piece;
    if (rest.startsWith(text)) {
      this.at += text.length;
      return "";
    }
    this.whole = "";
    if (text.startsWith(rest)) return text.slice(rest.length).trim() === "" ? "" : text.slice(rest.length);
    return whole.slice(from, at) + piece;
  }
}
