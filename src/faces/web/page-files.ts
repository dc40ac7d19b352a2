/** The built page, held in memory: nothing outside this list can be asked for, however the address is written. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "hono";
import { notFound } from "../../core/errors.ts";

export type PageFile = {
  readonly type: string;
  readonly body: Buffer;
  /** By the name that browsers accept it under; the build writes them. */
  readonly compressed: Readonly<Partial<Record<Encoding, Buffer>>>;
};
export type PageFiles = { readonly index: PageFile; readonly files: ReadonlyMap<string, PageFile> };

/** The smaller one first. */
const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];
const ENDINGS: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * `base`: the prefix of every address of the page, such as "/ekiden", or "".
 * @throws EkidenError `not_found` when the page was not built
 */
export function readPage(base = ""): PageFiles {
  const folder = ["./web/", "../../../dist/web/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(join(path, "index.html")));
  if (folder === undefined)
    throw notFound("the page is not built. Run npm run build, or install the package again.");
  const files = new Map<string, PageFile>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(path)];
    if (!type) continue;
    const file = join(folder, path);
    const compressed = Object.fromEntries(
      ENCODINGS.filter((one) => existsSync(file + ENDINGS[one])).map((one) => [
        one,
        readFileSync(file + ENDINGS[one]),
      ]),
    );
    files.set(`/${path.replaceAll("\\", "/")}`, { type, body: readFileSync(file), compressed });
  }
  return { index: placed(files.get("/index.html") as PageFile, base), files };
}

/** The build writes addresses relative to the page, which has views at any depth. */
function placed({ type, body }: PageFile, base: string): PageFile {
  const text = body
    .toString("utf8")
    .replaceAll('"./assets/', `"${base}/assets/`)
    .replace('name="ekiden-base" content=""', `name="ekiden-base" content="${base}"`);
  return { type, body: Buffer.from(text), compressed: {} };
}

/** `lasting`: its name tells its content. */
export function sendFile(c: Context, { type, body, compressed }: PageFile, lasting: boolean): Response {
  const accepted = (c.req.header("accept-encoding") ?? "").split(/\s*,\s*/);
  const encoding = ENCODINGS.find((one) => compressed[one] && accepted.includes(one));
  return new Response(new Uint8Array((encoding && compressed[encoding]) ?? body), {
    headers: {
      "Content-Type": type,
      "Cache-Control": lasting ? "private, max-age=31536000, immutable" : "no-store",
      Vary: "Accept-Encoding",
      ...(encoding && { "Content-Encoding": encoding }),
    },
  });
}
