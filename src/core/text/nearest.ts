/** "Did you mean …?": finds the known word nearest to a mistyped one. */

/** The nearest of `known` by edits (ignoring case), or null when none is near enough. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = edits(wanted, candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** ` Did you mean "x"?` with its leading blank, or "". */
export function didYouMean(word: string, known: Iterable<string>): string {
  const best = nearest(word, known);
  return best === null ? "" : ` Did you mean "${best}"?`;
}

/** Edits between two words (a swap of neighbours is one edit), at most `limit`. */
function edits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + same,
      );
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? limit) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return Math.min(row[b.length] ?? limit, limit);
}
