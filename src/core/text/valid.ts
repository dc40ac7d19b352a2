/** Texts without half characters: cut, quoted, shortened. */

/** Half of a surrogate pair is not a character; it becomes U+FFFD. */
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
export const wellFormed = (text: string): string => text.replace(LONE, "\uFFFD");

/** The first `max` UTF-16 units of a text, or one less: never half a character. */
export function cutEnd(text: string, max: number): string {
  if (max >= text.length) return text;
  const kept = text.slice(0, Math.max(0, max));
  const last = kept.charCodeAt(kept.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept;
}

/** The last `max` UTF-16 units of a text, or one less. */
export function cutStart(text: string, max: number): string {
  if (max >= text.length) return text;
  const kept = text.slice(text.length - Math.max(0, max));
  const first = kept.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? kept.slice(1) : kept;
}

/** In quotes, at most 60 characters of it. */
export const quoted = (text: string): string => (text.length > 60 ? `"${cutEnd(text, 57)}…"` : `"${text}"`);

/** Head and tail of a text longer than `max` characters; `where` says how to get the rest. */
export function headAndTail(text: string, max: number, where: string): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const head = Math.max(0, max - tail);
  return `${cutEnd(text, head)}\n[… ${text.length - head - tail} characters left out; ${where} …]\n${cutStart(text, tail)}`;
}
