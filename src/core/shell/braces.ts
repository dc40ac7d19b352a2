/** Brace expansion of shell words: `{rm,-rf,/}` is a command. */

// Unquoted braces and commas while a word is read; in the private use area, and refused in input.
export const OPEN = "\ue000";
export const COMMA = "\ue001";
export const CLOSE = "\ue002";
export const RESERVED_MARKS = /[\ue000-\ue002]/;

/** Alternatives in alternatives, and ranges: expanded roughly or not at all. */
const UNSURE = new RegExp(`${OPEN}[^${CLOSE}]*(?:${OPEN}|\\.\\.)`);
const ALTERNATIVES = new RegExp(
  `^(.*?)${OPEN}([^${OPEN}${CLOSE}]*${COMMA}[^${OPEN}${CLOSE}]*)${CLOSE}(.*)$`,
  "s",
);

/** `a{b,c}` → `ab`, `ac`; `{x}` stays. Of alternatives in alternatives some come twice, but none is missed. */
export function expandBraces(text: string): { readonly texts: readonly string[]; readonly sure: boolean } {
  if (!text.includes(OPEN)) return { texts: [plain(text)], sure: true };
  if (text.length > TEXT_MAX) return { texts: [plain(text)], sure: false };
  let texts = [text];
  while (texts.length <= TEXTS_MAX) {
    const next = texts.flatMap((one) => {
      const [, before = "", middle = "", after = ""] = ALTERNATIVES.exec(one) ?? [];
      return middle === "" ? [one] : middle.split(COMMA).map((part) => before + part + after);
    });
    if (next.length === texts.length) break;
    texts = next;
  }
  const sure = texts.length <= TEXTS_MAX && !UNSURE.test(text);
  return { texts: texts.map(plain), sure };
}

const TEXTS_MAX = 64;
const TEXT_MAX = 1_000;

const plain = (text: string): string =>
  text.replaceAll(OPEN, "{").replaceAll(COMMA, ",").replaceAll(CLOSE, "}");
