/** Creates or overwrites a file. */
import { z } from "zod";
import { withoutMarks } from "../core/conversation/foreign.ts";
import { EkidenError, isEkidenError } from "../core/errors.ts";
import type { ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";
import { createFile, openFile, replaceText, withSecrets } from "./opened.ts";
import { placeOf } from "./workspace.ts";

type Input = { readonly path: string; readonly content: string };

export const writeFile = defineTool({
  name: "write_file",
  description: "Create or overwrite a file.",
  input: () => z.object({ path: text, content: text }),
  access: "write",
  subject: ({ path }) => path,
  async preview(input, ctx) {
    const { shown } = await placeFor(input, ctx);
    const before = await textBefore(input, ctx);
    return { path: shown, before, after: unmarked(input.content, before, ctx) };
  },
  async run(input, ctx) {
    const place = await placeFor(input, ctx);
    const { shown } = place;
    const fresh = await createFile(place);
    let { content } = input;
    if (fresh) {
      try {
        await replaceText(fresh, content);
      } finally {
        await fresh.close();
      }
    } else {
      const { file, size } = await openFile(place, "write");
      try {
        const before = size <= COMPARED_MAX ? await file.readFile("utf8") : "";
        content = unmarked(content, before, ctx);
        await replaceText(file, content);
      } finally {
        await file.close();
      }
    }
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
  if (place.real === ctx.workspace)
    throw new EkidenError("bad_input", "The path names the workspace itself. Name a file in it.");
  return place;
}

/** Null for a new file. */
async function textBefore(input: Input, ctx: ToolContext): Promise<string | null> {
  try {
    const { file, size } = await openFile(await placeFor(input, ctx), "write");
    try {
      return size <= COMPARED_MAX ? await file.readFile("utf8") : `(a file of ${size} bytes)\n`;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isEkidenError(error, "not_found")) return null;
    throw error;
  }
}

/** What a member read with marks it writes with marks: they stand for what the file had, if the marks themselves were not in it. */
const unmarked = (content: string, before: string | null, { secrets }: ToolContext): string =>
  before === null
    ? content
    : withoutMarks(
        withSecrets(content, before, secrets),
        (mark, behind) => before.includes(behind) && !before.includes(mark),
      );
