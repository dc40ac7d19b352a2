/** HTML as Markdown. A page is hostile: one that would take the converter long, or too deep, is shown as its text alone. */

type Shown = { readonly text: string; readonly isCut: boolean };

/** The converter takes time in the square of the depth. */
const DEPTH_MAX = 150;
const HTML_MAX = 600_000;
const UNSEEN = /<(script|style|noscript|template|svg|iframe)\b|<!--/gi;
const ENDS: Readonly<Record<string, RegExp>> = {
  script: /<\/script\b[^<>]*>/gi,
  style: /<\/style\b[^<>]*>/gi,
  noscript: /<\/noscript\b[^<>]*>/gi,
  template: /<\/template\b[^<>]*>/gi,
  svg: /<\/svg\b[^<>]*>/gi,
  iframe: /<\/iframe\b[^<>]*>/gi,
};
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

export async function markdownOf(html: string, base: URL): Promise<Shown> {
  const seen = withoutUnseen(html);
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1]?.trim() ?? "";
  const isCut = seen.length > HTML_MAX;
  const part = isCut ? seen.slice(0, HTML_MAX) : seen;
  const text = depthOf(part) > DEPTH_MAX ? plain(part) : await converted(part, base).catch(() => plain(part));
  const head = title !== "" && !text.startsWith("# ") ? `# ${title}\n\n` : "";
  return { text: `${head}${text}`.trim(), isCut };
}

/** An element without an end takes the rest of the page with it, as in a browser. In one pass. */
function withoutUnseen(html: string): string {
  const kept: string[] = [];
  let from = 0;
  UNSEEN.lastIndex = 0;
  for (let found = UNSEEN.exec(html); found !== null; found = UNSEEN.exec(html)) {
    kept.push(html.slice(from, found.index));
    const end = ENDS[(found[1] ?? "").toLowerCase()] ?? /-->/g;
    end.lastIndex = found.index;
    from = end.exec(html) === null ? html.length : end.lastIndex;
    UNSEEN.lastIndex = from;
  }
  return kept.join("") + html.slice(from);
}

/** The largest number of open elements; elements that need no end count until the end of what is around them. */
function depthOf(html: string): number {
  let depth = 0;
  let most = 0;
  for (const [, close, name = "", own] of html.matchAll(/<(\/?)([a-z][\w-]*)[^<>]*?(\/?)>/gi)) {
    if (close) depth = Math.max(0, depth - 1);
    else if (own !== "/" && !VOID.test(name)) depth += 1;
    most = Math.max(most, depth);
  }
  return most;
}

async function converted(html: string, base: URL): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.remove(["script", "style", "noscript", "template", "iframe", "title"]);
  turndown.addRule("links", {
    filter: (node) => node.nodeName === "A",
    replacement: (content, node) => {
      const target = (node as { getAttribute(name: string): string | null }).getAttribute("href") ?? "";
      const said = content.trim();
      if (said === "" || !URL.canParse(target, base.href)) return content;
      const url = new URL(target, base);
      return /^https?:$/.test(url.protocol) ? `[${said.replace(/\s+/g, " ")}](${url.href})` : content;
    },
  });
  turndown.addRule("images", {
    filter: "img",
    replacement: (_, node) =>
      (node as { getAttribute(name: string): string | null }).getAttribute("alt") ?? "",
  });
  return turndown.turndown(html);
}

const plain = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/\n{3,}/g, "\n\n");
