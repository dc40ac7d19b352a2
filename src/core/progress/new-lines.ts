/**
 * Knows which lines were seen before. A line that differs from a known one in its digits alone is another line only while they rise: a
 * random number rises now and then, a page number or a chapter each time.
 */
import { hashOf } from "../text/hash.ts";
import { blurred, figures } from "./volatile.ts";

/** `risen`: a known form with a higher number than any line of that form had. `other`: a known form with other digits. */
export type Newness = "new" | "risen" | "other" | "known";

/** Lines that are remembered: more would cost memory, and a repetition comes sooner. */
const KNOWN_MAX = 200_000;

export class NewLines {
  private readonly known = new Set<string>();
  /** By form: the highest number of its lines. */
  private readonly forms = new Map<string, number>();

  of(line: string): Newness {
    const key = short(line);
    if (this.known.has(key)) return "known";
    if (this.known.size >= KNOWN_MAX) this.forget();
    this.known.add(key);
    const form = short(blurred(line));
    const highest = Math.max(Number.NEGATIVE_INFINITY, ...figures(line));
    const before = this.forms.get(form);
    if (before !== undefined && highest <= before) return "other";
    this.forms.set(form, highest);
    return before === undefined ? "new" : "risen";
  }

  forget(): void {
    this.known.clear();
    this.forms.clear();
  }
}

const short = (line: string): string => (line.length > 80 ? `${line.length} ${hashOf(line)}` : line);
