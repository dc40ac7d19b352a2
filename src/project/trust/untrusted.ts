/** The items of a project that the person has not agreed to, as text. */
import { EkidenError } from "../../core/errors.ts";
import { escapes } from "../../core/text/hidden.ts";
import type { TrustItem } from "./items.ts";
import { describe, type ProjectTrust } from "./weigh.ts";

/** @throws EkidenError always */
export const untrusted = (trust: ProjectTrust, waiting: readonly TrustItem[]): EkidenError =>
  new EkidenError(
    "not_trusted",
    `this project brings what you have not agreed to:\n${listed(trust, waiting)
      .map((line) => `  - ${line}`)
      .join(
        "\n",
      )}\nRead it. To agree once: --trust. To agree until it changes: ekiden trust --cwd ${trust.project}`,
    { details: { waiting: waiting.map(({ id, text }) => ({ id, text })) } },
  );

const LINE_MAX = 400;
/** One line for each item. */
export const listed = (trust: ProjectTrust, items: readonly TrustItem[]): string[] =>
  describe(trust, items).map((text) => {
    const shown = visible(text);
    return shown.length > LINE_MAX ? `${shown.slice(0, LINE_MAX)}… (${shown.length} characters)` : shown;
  });

/** On one line, with everything that a terminal would act on or not show written out. */
export const visible = (text: string): string => escapes(text.replace(/\r?\n/g, "⏎"));
