/** The built page, held in memory: nothing outside this list can be asked for, however the address is written. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EkidenError } from "../../core/errors.ts";

export type PageFile = { readonly type: string; readonly body: Buffer };
export type PageFiles = { readonly index: PageFile; readonly files: ReadonlyMap<string, PageFile> };

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** @throws EkidenError `not_found` when the page was not built */
export function readPage(): PageFiles {
  const folder = ["./web/", "../../../dist/web/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(join(path, "index.html")));
  if (folder === undefined)
    throw new EkidenError(
      "not_found",
      "the page is not built. Run npm run build, or install the package again.",
    );
  const files = new Map<string, PageFile>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(path)];
    if (type) files.set(`/${path.replaceAll("\\", "/")}`, { type, body: readFileSync(join(folder, path)) });
  }
  return { index: files.get("/index.html") as PageFile, files };
}
