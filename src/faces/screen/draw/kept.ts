/** Keeps lines for as long as nothing changes that they depend on: a frame draws many blocks, and few have changed. */
let epoch = 0;

/** Everything is made again: the colours are others. */
export function forgetKept(): void {
  epoch += 1;
}

export class Kept {
  private key = "";
  private kept: readonly string[] = [];

  lines(key: string, make: () => readonly string[]): readonly string[] {
    const now = `${epoch} ${key}`;
    if (now !== this.key) {
      this.kept = make();
      this.key = now;
    }
    return this.kept;
  }
}
