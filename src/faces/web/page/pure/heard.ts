/** Takes apart the text that a member hears: mail and tasks come to a model as tagged text. Pure. */

import { type Tag, tagsIn } from "../../../../core/conversation/tags.ts";
import { PERSON } from "../../../../core/ids.ts";

export type HeardPart = { readonly title: string; readonly text: string };

export function heardParts(text: string): HeardPart[] {
  const tags = tagsIn(text);
  // Words outside of the tags must not get lost: then all of it is shown as it is.
  const isWhole = /^\s*</.test(text) && /<\/[\w-]+>\s*$/.test(text);
  if (tags.length === 0 || !isWhole) return [{ title: "is told", text }];
  return tags.map((tag) => ({ title: titleOf(tag), text: tag.content }));
}

/** Of tags whose names are not the words for them. */
const WORDS: Readonly<Record<string, string>> = { "auto-claimed": "took" };

function titleOf({ tag, attributes: { from, kind, task } }: Tag): string {
  if (from === PERSON)
    return kind === "note" ? "you wrote" : `${(kind ?? "mail").replaceAll("_", " ")} from you`;
  if (from) return `${(kind ?? "mail").replaceAll("_", " ")} from ${from}`;
  return `${WORDS[tag] ?? tag.replaceAll("-", " ")}${task ? ` #${task}` : ""}`;
}
