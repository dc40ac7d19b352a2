/** Changes several files by one patch, all or none: the form in which GPT models edit files. */
import { z } from "zod";
import { badInput, type EkidenError, notFound, orElse } from "../../core/errors.ts";
import { patched, pathsIn, readPatch } from "../../core/patch.ts";
import { inFormOf } from "../../core/text/file-form.ts";
import type { Tool, ToolContext } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { text } from "../inputs.ts";
import { textOf } from "./edit-file.ts";
import { nearestLines } from "./nearest-lines.ts";
import { createFile, removeFile, replaceText, withFile, withoutMarksOf } from "./opened.ts";
import { checkUnchanged, noteWrite } from "./seen-files.ts";
import { type Place, placeOf } from "./workspace.ts";

/** `before`: null for a new file. `after`: null for one that goes. */
type Change = { readonly place: Place; readonly before: string | null; readonly after: string | null };

const applyPatch = defineTool({
  name: "apply_patch",
  description: "Edit files: *** Begin Patch, *** Add|Update|Delete File: PATH, …, *** End Patch.",
  input: () => z.strictObject({ patch: text }),
  access: "write",
  subject: ({ patch }) => pathsIn(patch).join(", "),
  reads: ({ patch }) => pathsIn(patch),
  writes: ({ patch }) => pathsIn(patch),
  shows: { command: "patch" },
  async preview({ patch }, ctx) {
    const changes = await changesOf(patch, ctx);
    const side = (of: "before" | "after"): string => changes.map((change) => change[of] ?? "").join("\n");
    const [first] = changes;
    if (changes.length === 1 && first)
      return { path: first.place.shown, before: first.before, after: first.after ?? "" };
    return {
      path: changes.map(({ place }) => place.shown).join(", "),
      before: side("before"),
      after: side("after"),
    };
  },
  async run({ patch }, ctx) {
    const changes = await changesOf(patch, ctx);
    const done: Change[] = [];
    try {
      for (const change of changes) {
        await carryOut(change, ctx);
        done.push(change);
      }
    } catch (error) {
      for (const { place, before, after } of done.reverse())
        await carryOut({ place, before: after, after: before }, ctx).catch(() => {});
      throw error;
    }
    return changes
      .map(
        ({ place, before, after }) =>
          `${before === null ? "Created" : after === null ? "Deleted" : "Changed"} ${place.shown}.`,
      )
      .join("\n");
  },
});

/** For models that were trained with patches. Others may use it, and are not told of it. */
export const patchTool = (isTold: boolean): Tool => (isTold ? applyPatch : { ...applyPatch, unlisted: true });

/** The changes of the patch, file by file. Nothing is written. @throws EkidenError */
async function changesOf(patch: string, ctx: ToolContext): Promise<Change[]> {
  const changes = new Map<string, Change>();
  const now = async (place: Place): Promise<string | null> => {
    const known = changes.get(place.real);
    if (known) return known.after;
    const read = withFile(place, "write", async (file, size) => {
      await checkUnchanged(ctx, place, file);
      return await textOf(file, size, place.shown);
    });
    const before = await orElse(read, "not_found", null);
    changes.set(place.real, { place, before, after: before });
    return before;
  };
  const set = async (place: Place, after: string | null): Promise<void> => {
    await now(place);
    const { before } = changes.get(place.real) as Change;
    changes.set(place.real, { place, before, after });
  };
  for (const file of readPatch(patch)) {
    const place = await placeOf(file.path, ctx, "write");
    if (file.kind === "add") {
      const replaced = (await now(place)) ?? "";
      await set(place, inFormOf(replaced, withoutMarksOf(file.content, replaced, ctx.secrets)).text);
      continue;
    }
    const before = await now(place);
    if (before === null)
      throw notFound(`There is no file ${place.shown}. Nothing was changed. Find it with glob.`);
    if (file.kind === "delete") {
      await set(place, null);
      continue;
    }
    const restored = (text: string): string => withoutMarksOf(text, before, ctx.secrets);
    const hunks = file.hunks.map((hunk) => ({
      ...hunk,
      lines: hunk.lines.map((line) => ({ ...line, text: restored(line.text) })),
    }));
    const after = patched(
      before,
      { ...file, hunks },
      (wanted) => `Nothing was changed. ${nearestLines(before, wanted)}`,
    );
    if (file.moveTo === undefined) {
      await set(place, after);
      continue;
    }
    const target = await placeOf(file.moveTo, ctx, "write");
    if (target.real !== place.real && (await now(target)) !== null)
      throw badInput(`${target.shown} exists already. Nothing was changed.`);
    await set(place, null);
    await set(target, after);
  }
  const real = [...changes.values()].filter(({ before, after }) => before !== after);
  if (real.length === 0) throw badInput("The patch changes nothing.");
  return real;
}

async function carryOut({ place, before, after }: Change, ctx: ToolContext): Promise<void> {
  if (after === null) return await removeFile(place);
  if (before === null) {
    const file = await createFile(place);
    if (!file) throw changedMeanwhile(place);
    await replaceText(file, after)
      .then(() => noteWrite(ctx, place, file))
      .finally(() => file.close());
    return;
  }
  await withFile(place, "write", async (file, size) => {
    if ((await textOf(file, size, place.shown)) !== before) throw changedMeanwhile(place);
    await replaceText(file, after);
    await noteWrite(ctx, place, file);
  });
}

const changedMeanwhile = ({ shown }: Place): EkidenError =>
  badInput(`${shown} changed in this moment. Nothing was changed by the patch. Read it again.`);
