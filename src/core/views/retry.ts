/** A member that waits for its provider, in words, and whether an interruption would end what it does. */
import type { Instant } from "../ids.ts";

export type Retry = { readonly until: Instant; readonly attempt: number; readonly why: string };

/** Whether a member does something that an interruption would end: it works, or it waits for its provider. */
export const canBeInterrupted = ({ phase, reason }: { phase: string; reason?: string }): boolean =>
  phase === "work" || reason === "rate_limited";

/** "retrying in 4 s, attempt 3" */
export const retryWords = ({ until, attempt }: Retry, now: Instant | number): string =>
  `${until > now ? `retrying in ${Math.ceil((until - now) / 1_000)} s` : "retrying now"}, attempt ${attempt}`;
