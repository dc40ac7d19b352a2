/** The output of a command and the words of a model at this moment, as other processes see them. */
import { escapes } from "./hidden.ts";
import { plainText } from "./plain-text.ts";

/** `text` and `thinking`: words of a reply that is not complete. */
export type LiveKind = "command" | "text" | "thinking";

export type LiveOutput = {
  readonly kind: LiveKind;
  /** The member, also for a command of its subagent. */
  readonly who: string;
  /** At most `COMMAND_MAX` characters of it; "" for words. */
  readonly command: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  /** Its last lines, as `lastPrinted` leaves them. */
  readonly text: string;
};

export const COMMAND_MAX = 500;
const SHOWN = 2_000;
/** Characters at the beginning of a cut text that are never shown: they may be the rest of a secret that is no longer recognised. */
const MARGIN = 8_000;
/** The bytes of a command's output that suffice for `lastPrinted`. */
export const KEPT = MARGIN + SHOWN;

/** The last lines without secrets and control characters, at most 2,000 characters. `isCut`: the beginning of `text` is missing. */
export function lastPrinted(text: string, isCut: boolean, redact: (text: string) => string): string {
  const redacted = redact(text);
  const margin = isCut ? redact(text.slice(0, MARGIN)).length : 0;
  const from = Math.max(margin, redacted.length - SHOWN);
  const line = from === 0 ? 0 : redacted.indexOf("\n", from) + 1 || from;
  return escapes(plainText(redacted.slice(line))).slice(-SHOWN);
}
