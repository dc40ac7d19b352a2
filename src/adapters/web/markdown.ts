/**
 * HTML as Markdown, in a thread of its own: a page is hostile, and one that takes the converter long, such as a deep one, ends the thread and
 * is shown as its text alone. The library is found on disk at run time.
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

type Shown = { readonly text: string; readonly isCut: boolean };

const TIME_MS = 4_000;
const MEMORY_MB = 256;
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

const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { library, html, base } = workerData;
const Turndown = require(library);
const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
turndown.remove(["script", "style", "noscript", "template", "iframe", "title"]);
turndown.addRule("links", {
  filter: (node) => node.nodeName === "A",
  replacement: (content, node) => {
    const target = node.getAttribute("href") ?? "";
    const said = content.trim();
    if (said === "" || !URL.canParse(target, base)) return content;
    const url = new URL(target, base);
    return /^https?:$/.test(url.protocol) ? "[" + said.replace(/\\s+/g, " ") + "](" + url.href + ")" : content;
  },
});
turndown.addRule("images", { filter: "img", replacement: (_, node) => node.getAttribute("alt") ?? "" });
parentPort.postMessage(turndown.turndown(html));
`;

export async function markdownOf(html: string, base: URL): Promise<Shown> {
  const seen = withoutUnseen(html);
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1]?.trim() ?? "";
  const isCut = seen.length > HTML_MAX;
  const part = isCut ? seen.slice(0, HTML_MAX) : seen;
  const text = (await converted(part, base)) ?? plain(part);
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

/** Null where it takes too long, or fails. */
async function converted(html: string, base: URL): Promise<string | null> {
  const library = createRequire(import.meta.url).resolve("turndown");
  const thread = new Worker(THREAD, {
    ...{ eval: true, workerData: { library, html, base: base.href }, env: {}, execArgv: [] },
    ...{ resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB }, stdout: true, stderr: true },
  });
  let timer: NodeJS.Timeout | undefined;
  const text = await new Promise<string | null>((resolve) => {
    thread.once("message", resolve);
    for (const end of ["error", "exit"]) thread.once(end, () => resolve(null));
    timer = setTimeout(resolve, TIME_MS, null);
  });
  clearTimeout(timer);
  await thread.terminate();
  return text;
}

const plain = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/\n{3,}/g, "\n\n");
