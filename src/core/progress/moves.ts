/**
 * Follows the figures of the answers to one question. Those that only rise, or only fall, show that something goes on. A figure with an
 * end that can be seen ("12 of 300", "34 %", or a small one that falls to 0) may be watched for long; one without an end may be a clock.
 */
import { blurred, figures, settled } from "./volatile.ts";

/** Times in a row that a figure must move before it counts, because a random one moves too. */
const MOVES_MIN = 3;
/** Times that a figure with an end counts. */
const NEARER_MAX = 300;

/** A falling figure below this counts what is left of something. Larger figures that fall are bytes of memory. */
const SMALL = 1_000;

/** `nearer`: to its end. `further`: without an end that can be seen. */
export type Move = "nearer" | "further" | "none";

type Form = {
  values: readonly number[];
  /** Places of figures that never fell, and of those that never rose. */
  readonly rising: Set<number>;
  readonly falling: Set<number>;
};

export class Moves {
  private readonly forms = new Map<string, Form>();
  private inARow = 0;
  private nearer = 0;

  of(text: string): Move {
    const form = blurred(text).slice(0, 4_000);
    const now = figures(text);
    const before = this.forms.get(form);
    if (!before) {
      this.forms.set(form, { values: now, rising: new Set(now.keys()), falling: new Set(now.keys()) });
      return "none";
    }
    const { rising, falling, values } = before;
    before.values = now;
    const moved = new Set<number>();
    now.forEach((is, at) => {
      const was = values[at] ?? 0;
      if (is < was) rising.delete(at);
      if (is > was) falling.delete(at);
      if (is !== was && (rising.has(at) || falling.has(at))) moved.add(at);
    });
    const stays = now.every((is, at) => is === values[at]);
    if (stays) return "none"; // neither way
    this.inARow = moved.size > 0 ? this.inARow + 1 : 0;
    if (this.inARow < MOVES_MIN) return "none";
    const ends = endsIn(text);
    const falls = (at: number): boolean => falling.has(at) && (now[at] ?? 0) < SMALL;
    const hasEnd = [...moved].some((at) => falls(at) || ends.has(at));
    if (!hasEnd) return "further";
    this.nearer += 1;
    return this.nearer <= NEARER_MAX ? "nearer" : "none";
  }
}

/** Places of the figures that have an end: "12 of 300", "12/300", "34 %". */
function endsIn(text: string): Set<number> {
  const ends = new Set<number>();
  const all = settled(text);
  [...all.matchAll(/\d+(?:\.\d+)?/g)].forEach((match, at) => {
    const behind = all.slice(match.index + match[0].length).slice(0, 24);
    const most = /^ ?(?:\/|(?:out )?of ) ?(\d+)/.exec(behind)?.[1];
    if (/^ ?(?:%|percent)/.test(behind) || (most !== undefined && Number(most) >= Number(match[0])))
      ends.add(at);
  });
  return ends;
}
