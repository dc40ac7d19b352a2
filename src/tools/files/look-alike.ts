/** Files that a path may have meant: those whose name only looks the same, and those with a similar one. */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { showHidden } from "../../core/text/hidden.ts";
import type { Place } from "./workspace.ts";

/** Names that people read alike: in another case, composed in another way, with other blanks or characters that nobody sees. */
const folded = (name: string): string =>
  showHidden(name.normalize("NFKC"), () => "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** A sentence on a path that leads nowhere, with a blank before it. */
export async function nearby({ real, shown }: Place): Promise<string> {
  const found = await lookAlike(real);
  if (found !== null) return inWords(real, found, shown);
  const wanted = basename(real).toLowerCase();
  const stem = wanted.replace(/\.[^.]*$/, "");
  const names = await readdir(dirname(real)).catch(() => null);
  if (!names) return " Its folder does not exist either; find it with glob.";
  const near = names.filter((name) => {
    const lower = name.toLowerCase();
    return lower.includes(stem) || stem.includes(lower.replace(/\.[^.]*$/, ""));
  });
  return near.length > 0 ? ` Did you mean ${near.slice(0, 5).join(", ")}?` : " Find it with glob.";
}

/** The existing path that is read like this one. */
async function lookAlike(path: string): Promise<string | null> {
  if (await stat(path).catch(() => null)) return path;
  const parent = dirname(path);
  const folder = parent === path ? null : await lookAlike(parent);
  if (folder === null) return null;
  const wanted = folded(basename(path));
  const name = (await readdir(folder).catch(() => [])).find((one) => folded(one) === wanted);
  return name === undefined ? null : join(folder, name);
}

function inWords(wanted: string, found: string, shown: string): string {
  const path = isAbsolute(shown) ? found : found.split("/").slice(-shown.split("/").length).join("/");
  if (found.toLowerCase() === wanted.toLowerCase())
    return ` There is ${path}: only upper and lower case differ. Use that name.`;
  const how =
    found.normalize("NFC") === wanted.normalize("NFC")
      ? "only how its characters are composed differs (Unicode NFC and NFD)"
      : "only blanks or characters that are not seen differ";
  return ` There is a path that looks the same: ${how}. Copy the name from glob, or use it with bash by a pattern: ${patternOf(path)}`;
}

/** For names that cannot be typed. */
const patternOf = (path: string): string => path.replace(/[^\w./@+,-]+/g, "*");
