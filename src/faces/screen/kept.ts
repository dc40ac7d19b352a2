/** Keeps lines for as long as nothing changes that they depend on: a frame draws many blocks, and few have changed. */
export class Kept {
  private key = "";
  private kept: readonly string[] = [];

  lines(key: string, make: () => readonly string[]): readonly string[] {
    if (key !== this.key) {
      this.kept = make();
      this.key = key;
    }
    return this.kept;
  }
}
