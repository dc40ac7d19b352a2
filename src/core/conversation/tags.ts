/**
 * Tags around text from elsewhere in a conversation. Content that looks like one of our tags is escaped, so that no mail, file
 * or tool output can forge an identity, a claim or a mail.
 */

/** Names that source code uses too: `<summary>` is HTML and a C# comment, `<project>` a Maven file. */
const COMMON = "summary|conversation|memory|notes|skills|plan|project|todo|update";
const OWN = "mail|identity|auto-claimed|own-task|claim-lost|reminder|system";
/** Models were trained to take these for the words of a program or for the results of calls. */
const KIN =
  "system[-_](?:reminder|message|prompt)|(?:antml:)?(?:function|tool)[-_](?:calls?|results?|use|response)|antml:[\\w-]+|invoke|permission[-_]response";
/** Who speaks. Code uses these names, so they are left in results. */
const SPEAKERS = "user|assistant|human|parameter";
const OURS = `${OWN}|${COMMON}`;
const FORGED = new RegExp(`<(?=\\s*/?\\s*(?:${OURS}|${KIN}|${SPEAKERS})(?![\\w-]))`, "gi");
/** A common name is escaped in results only where it stands as `tagged` writes it: alone, at the start of a line. */
const FORGED_IN_RESULT = new RegExp(
  `<(?=\\s*/?\\s*(?:${OWN}|${KIN})(?![\\w-]))|^<(?=/?(?:${COMMON})(?: [\\w-]+="[^"\\n]*")*>[ \\t]*\\r?$)`,
  "gim",
);

/** Changes only text that looks like one of our tags; code with `<` in it stays readable. */
export const escapeTags = (text: string): string => text.replace(FORGED, "&lt;");

/** For results of tools. Most are source code, which members copy into edits, so that fewer tags are escaped. */
export const escapeTagsInResult = (text: string): string => text.replace(FORGED_IN_RESULT, "&lt;");

export function tagged(
  tag: string,
  attributes: Readonly<Record<string, string | number | null>>,
  content: string,
): string {
  const list = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${escapeAttribute(String(value))}"`],
  );
  return `<${tag}${list.join("")}>\n${escapeTags(content)}\n</${tag}>`;
}

const escapeAttribute = (text: string): string => text.replace(/["<>&\n\r]/g, (c) => `&#${c.charCodeAt(0)};`);

export type Tag = {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string;
};

const TAGGED = new RegExp(`<(${OURS})((?: [\\w-]+="[^"]*")*)>\\n([\\s\\S]*?)\\n</\\1>`, "g");
const DEFUSED = new RegExp(`&lt;(?=\\s*/?\\s*(?:${OURS}|${KIN}|${SPEAKERS})(?![\\w-]))`, "gi");
/** The opposite of `escapeTags`. */
export const unescapeTags = (text: string): string => text.replace(DEFUSED, "<");

/** Reads back what `tagged` wrote, for models that are programs: the tags of a text in order, with their original content. */
export const tagsIn = (text: string): Tag[] =>
  [...text.matchAll(TAGGED)].map(([, tag = "", list = "", content = ""]) => ({
    tag,
    attributes: Object.fromEntries(
      [...list.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [
        key,
        value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
      ]),
    ),
    content: unescapeTags(content),
  }));
