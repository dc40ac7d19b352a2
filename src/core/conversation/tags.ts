/**
 * Tags around text from elsewhere in a conversation. Content that looks like one of our tags is escaped, so that no mail, file
 * or tool output can forge an identity, a claim or a mail.
 */
const OURS =
  "mail|identity|auto-claimed|own-task|claim-lost|summary|conversation|reminder|memory|skills|system|plan|project|todo";
const FORGED = new RegExp(`<(?=\\s*/?\\s*(?:${OURS})(?![\\w-]))`, "gi");

/** Changes only text that looks like one of our tags; code with `<` in it stays readable. */
export const escapeTags = (text: string): string => text.replace(FORGED, "&lt;");

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
const DEFUSED = new RegExp(`&lt;(?=\\s*/?\\s*(?:${OURS})(?![\\w-]))`, "gi");

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
    content: content.replace(DEFUSED, "<"),
  }));
