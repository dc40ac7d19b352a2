/** What a project brings and the person has not agreed to, as text. */
import { EkidenError } from "../../core/errors.ts";
import { escapes } from "../../core/text/hidden.ts";
import { asked, describe, type ProjectTrust } from "./weigh.ts";

/** @throws EkidenError always */
export const untrusted = (trust: ProjectTrust): EkidenError =>
  new EkidenError(
    "not_trusted",
    `this project brings what you have not agreed to:\n${bullets(list(trust))}\nRead it. To agree once: --trust. To agree until it changes: ekiden trust --cwd ${trust.project}`,
    { details: { waiting: trust.waiting.map(({ id, text }) => ({ id, text })) } },
  );

const LINE_MAX = 400;
/** A line for each item: of all that the person agrees to together, or of some. */
export const list = (trust: ProjectTrust, items = asked(trust)): string[] =>
  describe(trust, items).map((text) => {
    const shown = visible(text);
    return shown.length > LINE_MAX ? `${shown.slice(0, LINE_MAX)}… (${shown.length} characters)` : shown;
  });
export const bullets = (lines: readonly string[]): string => lines.map((line) => `  - ${line}`).join("\n");

/** On one line, with everything that a terminal would act on or not show written out. */
export const visible = (text: string): string => escapes(text.replace(/\r?\n/g, "⏎"));
