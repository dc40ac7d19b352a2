/** The head of a Markdown file between two lines of dashes. Split here; what the head says is read by whoever has a YAML parser. */

export type FrontMatter = {
  /** The text between the dashes, YAML by custom; null when the file has none. */
  readonly head: string | null;
  /** The rest, without blank lines around it. */
  readonly body: string;
};

const SHAPE = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Total: a head that is never closed is part of the body. Line ends become `\n`, a byte-order mark goes. */
export function splitFrontMatter(text: string): FrontMatter {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const found = SHAPE.exec(plain);
  if (!found) return { head: null, body: plain.trim() };
  return { head: found[1] ?? "", body: plain.slice(found[0].length).trim() };
}

/**
 * A head that is no YAML, read line by line: `key: the rest of the line, whatever stands in it`. Descriptions such as
 * `Use it when: the user asks` are no YAML and yet what other harnesses write and read. Null when that makes no sense of it either.
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

/** A quote or a bracket that was forgotten: there, nobody can say what was meant. */
const UNCLOSED = /^(?:"[^"]*|'[^']*|\[[^\]]*|\{[^}]*)$/;

/** Without quotes around it, and with line ends that were written as `\\n`. */
const plain = (value: string): string =>
  value
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .replace(/^[|>][+-]?$/, "")
    .replaceAll("\\n", "\n");
