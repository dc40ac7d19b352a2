/** A question that waits for the person, as the screen holds it. */
import type { Request } from "../../../ports/index.ts";

export type Question = {
  readonly request: Request;
  readonly task: string;
  /** When a frame showed it on the card first, since it came there; null before that. */
  readonly shownAt: number | null;
};
