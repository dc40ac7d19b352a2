/** Finds files by name. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { notFound } from "../../core/errors.ts";
import { pathPattern } from "../../core/paths/path-pattern.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";
import { nearby } from "./look-alike.ts";
import { filesBelow } from "./ripgrep.ts";
import { checkPattern, placeOf } from "./workspace.ts";

const SHOWN = 200;

export const glob = defineTool({
  name: "glob",
  description: "Find files by pattern, newest first.",
  input: () => z.strictObject({ pattern: text, path: maybe.text }),
  access: "read",
  subject: ({ pattern, path }) => (path === undefined ? pattern : `${path}/${pattern}`),
  reads: ({ path = "." }) => [path],
  async run({ pattern, path = "." }, ctx) {
    checkPattern(pattern, ctx);
    const { real, shown } = await placeOf(path, ctx, "read");
    const about = await stat(real).catch(() => null);
    if (!about) throw notFound(`There is no folder ${shown}.${await nearby({ real, shown })}`);
    if (!about.isDirectory()) throw notFound(`${shown} is not a folder.`);
    const matches = pathPattern(pattern.replace(/^(?:\.\/)+/, ""));
    const { files, isWhole } = await filesBelow(real, ctx);
    const found = files.filter((file) => matches.test(file));
    const part = isWhole ? "" : "\n[there are too many files here: only a part was searched; give a path]";
    if (found.length === 0)
      return `No file matches ${pattern} in ${shown}. Files that git ignores are left out.${part}`;
    const dated = await Promise.all(
      found.map(async (file) => ({
        file,
        at: (await stat(join(real, file)).catch(() => null))?.mtimeMs ?? 0,
      })),
    );
    dated.sort((a, b) => b.at - a.at || (a.file < b.file ? -1 : 1));
    const lines = dated.slice(0, SHOWN).map(({ file }) => (shown === "." ? file : `${shown}/${file}`));
    if (dated.length > SHOWN) lines.push(`[${dated.length - SHOWN} more; use a narrower pattern]`);
    return lines.join("\n") + part;
  },
});
