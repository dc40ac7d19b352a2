/**
 * The tools of a member whose model is an agent program of another vendor. The program uses tools of its own; a call of `bash`,
 * `edit_file` or `read_file` here asks only whether it may, so that rules, plans and hooks hold for it under their usual names.
 */
import { z } from "zod";
import { badInput } from "../core/errors.ts";
import type { Tool, ToolContext } from "../ports/index.ts";
import { bash } from "./bash.ts";
import { defineTool } from "./define.ts";
import { editFile } from "./files/edit-file.ts";
import { withFile } from "./files/opened.ts";
import { readFile } from "./files/read-file.ts";
import { noteRead } from "./files/seen-files.ts";
import { placeOf } from "./files/workspace.ts";
import { writeFile } from "./files/write-file.ts";
import { maybe, text } from "./inputs.ts";

export const AGENT_STEP = "agent_step";
const AGENT_TOOL = "agent_tool";
/** The tool by whose rules each kind of request is judged. */
export const AGENT_TOOLS = {
  run: bash.name,
  edit: editFile.name,
  read: readFile.name,
  write: writeFile.name,
  other: AGENT_TOOL,
} as const;

const PERMITTED = "Permitted.";
/** Larger files are not handed over in one piece. */
const READ_MAX = 16 * 1024 * 1024;

type Program = {
  /** Gets the text of a file, by the number of the request for it. */
  readonly give: (nth: number, text: string) => void;
  /** The end of one of its steps; undefined where that is not known any more. */
  readonly endOf: (nth: number) => { readonly output: string; readonly failed: boolean } | undefined;
};

export const agentProgramTools = ({ give, endOf }: Program): readonly Tool[] => [
  mayRun,
  mayEdit,
  mayRead(give),
  step(endOf),
  mayUse,
];

const mayRun = defineTool({
  ...own(bash),
  input: () => z.strictObject({ command: text }),
  access: "exec",
  subject: ({ command }) => command,
  line: ({ command }) => command,
  // The program runs it, for which the network is open.
  elsewhere: true,
  run: async () => PERMITTED,
});

const files = () => z.strictObject({ path: text, also: maybe.texts });
const allOf = ({ path, also = [] }: { path: string; also?: readonly string[] | undefined }): string[] => [
  path,
  ...also,
];

const mayEdit = defineTool({
  ...own(editFile),
  input: () =>
    files().extend({
      change: z.strictObject({ path: text, before: maybe.text, after: text }).optional(),
    }),
  access: "write",
  subject: ({ path }) => path,
  writes: allOf,
  preview: async (input, ctx) => {
    await inside(allOf(input), ctx, "write");
    const { path, change } = input;
    return change ? { ...change, before: change.before ?? null } : { path, before: null, after: "" };
  },
  run: async (input, ctx) => {
    await inside(allOf(input), ctx, "write");
    return PERMITTED;
  },
});

const mayRead = (give: Program["give"]): Tool =>
  defineTool({
    ...own(readFile),
    input: () => files().extend({ for_agent: maybe.whole }),
    access: "read",
    subject: ({ path }) => path,
    reads: allOf,
    async run({ path, for_agent: nth }, ctx) {
      if (nth === undefined) return PERMITTED;
      const place = await placeOf(path, ctx, "read");
      const content = await withFile(place, "read", async (file, size) => {
        if (size > READ_MAX) throw badInput(`${place.shown} has ${size} bytes: read it in parts.`);
        await noteRead(ctx, place, file);
        return await file.readFile("utf8");
      });
      give(nth, content);
      return `Read ${place.shown}: ${content.length} characters.`;
    },
  });

/** A step that the program took by itself, for the transcript and the journal. Its output is stored once, as the result. */
const step = (endOf: Program["endOf"]): Tool =>
  defineTool({
    name: AGENT_STEP,
    description: "A step that an agent program of another vendor took by itself.",
    input: () =>
      z.strictObject({ title: text, tool: text, kind: text, paths: z.array(text), step: z.number().int() }),
    access: "read",
    unlisted: true,
    subject: ({ title }) => title,
    reads: () => [],
    async run({ step: nth }) {
      const { output, failed } = endOf(nth) ?? { output: "It is not known how it ended.", failed: true };
      if (failed) throw new Error(output || "It failed.");
      return output || "Done.";
    },
  });

/** A tool of the program of which nothing more is known. */
const mayUse = defineTool({
  name: AGENT_TOOL,
  description: "A tool of an agent program of another vendor.",
  input: () => z.strictObject({ title: text }),
  access: "exec",
  unlisted: true,
  subject: ({ title }) => title,
  run: async () => PERMITTED,
});

/** The fields that rules go by. */
function own({ name, description }: Tool): Pick<Tool, "name" | "description"> {
  return { name, description };
}

async function inside(paths: readonly string[], ctx: ToolContext, use: "read" | "write"): Promise<void> {
  for (const path of paths) await placeOf(path, ctx, use);
}
