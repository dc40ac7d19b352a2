/**
 * Characters that nobody sees: invisible ones, and those that change the direction of the text around them. They hide what a
 * line does from the person, and carry orders to a model that the person cannot read. They stay where a script or an emoji needs them.
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029]/u;
const RUNS = new RegExp(`${HIDDEN.source}+`, "gu");

/** Scripts in which joiners change the form of letters. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}0-9#*]/u;
const ZWNJ = "\u200c";
const ZWJ = "\u200d";

/** Whether a run of hidden characters belongs to the text: a joiner between letters or pictures, one variation of a character. */
function belongs(run: string, before: string, after: string): boolean {
  const [variation = "", joiner = variation, ...more] = run;
  if (run === ZWNJ) return JOINING.test(before) && JOINING.test(after);
  if (run === ZWJ)
    return (JOINING.test(before) && JOINING.test(after)) || (PICTURE.test(before) && PICTURE.test(after));
  if (/^[\ufe0e\ufe0f]$/u.test(variation) && (PICTURE.test(before) || /\p{S}/u.test(before)))
    return run === variation || (joiner === ZWJ && more.length === 0 && PICTURE.test(after));
  return /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u.test(run) && /\p{Script=Han}/u.test(before);
}

/** `show` gets each run of hidden characters that does not belong to the text. */
export function showHidden(text: string, show: (run: string) => string): string {
  if (!HIDDEN.test(text)) return text;
  return text.replace(RUNS, (run, at: number) => {
    const before = /.$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "";
    const after = /^./u.exec(text.slice(at + run.length, at + run.length + 2))?.[0] ?? "";
    return belongs(run, before, after) ? run : show(run);
  });
}

export const codePoint = (character: string): string =>
  (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");

/** For people: `\u{202e}`. */
export const spellHidden = (text: string): string =>
  showHidden(text, (run) => [...run].map((one) => `\\u{${codePoint(one).toLowerCase()}}`).join(""));

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Spells out characters that a terminal would act on, or not show, as `\x1b` and `\u{202e}`; line ends and tabs stay. */
export const escapes = (text: string): string =>
  spellHidden(
    text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`),
  );

/** The name of a file, which anybody may have chosen, on one line. */
export const nameShown = (path: string): string =>
  escapes(path.replace(/[\t\n]/g, (one) => (one === "\n" ? "\\n" : "\\t")));

/** Without characters that a terminal would act on, or not show; line ends and tabs stay. */
export const withoutHidden = (text: string): string => showHidden(text.replace(CONTROL, ""), () => "");

const OF_MACHINES = new RegExp(`[\\u007f-\\u009f]|${HIDDEN.source}`, "gu");

/** A line of JSON in which nothing acts on a terminal that shows it; the value is the same. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(OF_MACHINES, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  )}\n`;
