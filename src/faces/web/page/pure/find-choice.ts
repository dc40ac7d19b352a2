/** The places and actions that a person finds by name, and their search. Pure. */
export type Choice = {
  readonly kind: string;
  readonly text: string;
  /** Also found by these. */
  readonly more?: string;
  readonly run: () => void;
};

const SHOWN = 12;

/** The best first: the beginning of the text, of a word, inside of a word; all words must be there. */
export function found(choices: readonly Choice[], text: string): readonly Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices.slice(0, SHOWN);
  const scored: { readonly choice: Choice; readonly score: number }[] = [];
  for (const choice of choices) {
    const name = choice.text.toLowerCase();
    const all = `${name} ${choice.kind} ${choice.more ?? ""}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    const first = words[0] as string;
    const at = name.indexOf(first);
    const isWord = at > 0 && /\W/.test(name[at - 1] ?? "");
    scored.push({ choice, score: at === 0 ? 0 : isWord ? 1 : at > 0 ? 2 : 3 });
  }
  return scored
    .sort((a, b) => a.score - b.score)
    .slice(0, SHOWN)
    .map(({ choice }) => choice);
}
