/** Creates or overwrites a file. */
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { badInput, orElse } from "../../core/errors.ts";
import { inFormOf, splitMark } from "../../core/text/file-form.ts";
import type { ToolContext } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";
import { createFile, replaceText, withFile, withoutMarksOf } from "./opened.ts";
import { checkUnchanged, noteWrite } from "./seen-files.ts";
import { type Place, placeOf } from "./workspace.ts";

type Input = { readonly path: string; readonly content: string; readonly append?: boolean | undefined };

export const writeFile = defineTool({
  name: "write_file",
  description: "Create or overwrite a file.",
  input: () => z.strictObject({ path: text, content: text, append: maybe.flag.meta({ untold: true }) }),
  access: "write",
  subject: ({ path }) => path,
  writes: ({ path }) => [path],
  async preview(input, ctx) {
    const place = await placeFor(input, ctx);
    const before = await textBefore(place, ctx);
    return { path: place.shown, before, after: written(input, before, ctx).text };
  },
  async run(input, ctx) {
    const place = await placeFor(input, ctx);
    const { shown } = place;
    const fresh = await createFile(place);
    let { content } = input;
    let notes = "";
    if (fresh)
      await replaceText(fresh, content)
        .then(() => noteWrite(ctx, place, fresh))
        .finally(() => fresh.close());
    else
      await withFile(place, "write", async (file, size) => {
        await checkUnchanged(ctx, place, file);
        if (input.append && size > COMPARED_MAX)
          throw badInput(`${shown} has ${size} bytes, too many to append to here. Use bash with >>.`);
        const before = size <= COMPARED_MAX ? await file.readFile("utf8") : await beginOf(file);
        const made = written(input, before, ctx);
        content = made.own;
        notes = made.notes;
        await replaceText(file, made.text);
        await noteWrite(ctx, place, file);
      });
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    return `${fresh ? "Created" : input.append ? "Appended to" : "Overwrote"} ${shown}: ${lines} lines, ${Buffer.byteLength(content)} bytes.${notes}`;
  },
});

const COMPARED_MAX = 4 * 1024 * 1024;
const BEGIN_BYTES = 64 * 1024;

/** Enough to know the form of a large file. */
async function beginOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGIN_BYTES), 0, BEGIN_BYTES, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

async function placeFor({ path }: Input, ctx: ToolContext) {
  const place = await placeOf(path, ctx, "write");
  if (place.real === ctx.workspace) throw badInput("The path names the workspace itself. Name a file in it.");
  return place;
}

/** Null for a new file. */
const textBefore = (place: Place, ctx: ToolContext): Promise<string | null> => {
  const text = withFile(place, "write", async (file, size) => {
    await checkUnchanged(ctx, place, file);
    return size <= COMPARED_MAX ? await file.readFile("utf8") : `(a file of ${size} bytes)\n`;
  });
  return orElse(text, "not_found", null);
};

type Written = {
  /** The file after the call. */
  readonly text: string;
  /** The part of it that the call wrote. */
  readonly own: string;
  readonly notes: string;
};

/** The content as it is written over a file, or behind it, in the form of the file. `append`: models of other harnesses ask for it; nobody is told of it. */
function written({ content, append }: Input, before: string | null, { secrets }: ToolContext): Written {
  if (before === null) return { text: content, own: content, notes: "" };
  const restored = withoutMarksOf(content, before, secrets);
  const { text, note } = inFormOf(before, restored);
  const marks =
    restored === content
      ? ""
      : " Marks for characters, tags and secrets that the file had were written as those.";
  if (!append) return { text, own: text, notes: marks + note };
  const own = splitMark(text)[1];
  return { text: before + own, own, notes: marks };
}
