/** Creates or overwrites a file. */
import { z } from "zod";
import { withoutMarks } from "../core/conversation/foreign.ts";
import { badInput, orElse } from "../core/errors.ts";
import type { ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";
import { createFile, replaceText, withFile, withSecrets } from "./opened.ts";
import { checkUnchanged, noteWrite } from "./seen-files.ts";
import { type Place, placeOf } from "./workspace.ts";

type Input = { readonly path: string; readonly content: string };

export const writeFile = defineTool({
  name: "write_file",
  description: "Create or overwrite a file.",
  input: () => z.object({ path: text, content: text }),
  access: "write",
  subject: ({ path }) => path,
  writes: ({ path }) => [path],
  async preview(input, ctx) {
    const place = await placeFor(input, ctx);
    const before = await textBefore(place, ctx);
    return { path: place.shown, before, after: unmarked(input.content, before, ctx) };
  },
  async run(input, ctx) {
    const place = await placeFor(input, ctx);
    const { shown } = place;
    const fresh = await createFile(place);
    let { content } = input;
    if (fresh)
      await replaceText(fresh, content)
        .then(() => noteWrite(ctx, place, fresh))
        .finally(() => fresh.close());
    else
      await withFile(place, "write", async (file, size) => {
        await checkUnchanged(ctx, place, file);
        const before = size <= COMPARED_MAX ? await file.readFile("utf8") : "";
        content = unmarked(content, before, ctx);
        await replaceText(file, content);
        await noteWrite(ctx, place, file);
      });
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    const marks =
      content === input.content
        ? ""
        : " Marks for characters, tags and secrets that the file had were written as those.";
    return `${fresh ? "Created" : "Overwrote"} ${shown}: ${lines} lines, ${Buffer.byteLength(content)} bytes.${marks}`;
  },
});

const COMPARED_MAX = 4 * 1024 * 1024;

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

/** A member that has read marks writes marks: they stand for the secrets of the file, if the marks themselves were not in it. */
const unmarked = (content: string, before: string | null, { secrets }: ToolContext): string =>
  before === null
    ? content
    : withoutMarks(
        withSecrets(content, before, secrets),
        (mark, behind) => before.includes(behind) && !before.includes(mark),
      );
