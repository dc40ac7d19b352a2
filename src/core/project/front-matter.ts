/** Splits off the head of a Markdown file between two lines of dashes. A caller with a YAML parser reads the head. */

export type FrontMatter = {
  /** The text between the dashes, YAML by custom; null when the file has none. */
  readonly head: string | null;
  /** The rest, without blank lines around it. */
  readonly body: string;
};

const SHAPE = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Never fails: an unclosed head is part of the body. Line ends become `\n`, a byte-order mark is removed. */
export function splitFrontMatter(text: string): FrontMatter {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const found = SHAPE.exec(plain);
  if (!found) return { head: null, body: plain.trim() };
  return { head: found[1] ?? "", body: plain.slice(found[0].length).trim() };
}

/**
 * Reads a head that is not valid YAML line by line: `key: the rest of the line`. Descriptions such as
 * `Use it when: the user asks` are not YAML, and yet other harnesses write and read them. Null when this does not work either.
 */
export function looseHead(head: string): Record<string, string | string[]> | null {
  const found: Record<string, string | string[]> = {};
  let key: string | null = null;
  for (const line of head.split("\n")) {
    const [, name, value = ""] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line) ?? [];
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
    if (line.trim() === "" || line.startsWith("#")) continue;
    if (name !== undefined) {
      if (Object.hasOwn(found, name) || UNCLOSED.test(value.trim())) return null;
      key = name;
      found[key] = plain(value);
    } else if (key === null) return null;
    else if (item !== undefined) {
      const before: string | string[] = found[key] ?? [];
      if (typeof before === "string" && before !== "") return null;
      found[key] = [...(typeof before === "string" ? [] : before), plain(item)];
    } else if (/^\s/.test(line) && typeof found[key] === "string")
      found[key] = `${found[key]} ${line.trim()}`.trim();
    else return null;
  }
  return typeof found.name === "string" || typeof found.description === "string" ? found : null;
}

/** A forgotten quote or bracket: the meaning is unknown. */
const UNCLOSED = /^(?:"[^"]*|'[^']*|\[[^\]]*|\{[^}]*)$/;

/** Without quotes around it, and with line ends that were written as `\\n`. */
const plain = (value: string): string =>
  value
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .replace(/^[|>][+-]?$/, "")
    .replaceAll("\\n", "\n");
