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
