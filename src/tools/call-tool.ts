/** Passes a call on to a tool that came up after the conversation began: its list of tools stays as it was. */
import { z } from "zod";
import { inOurNames } from "../core/tool-names.ts";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";
import { specOf } from "./spec.ts";

/** `find`: a tool that the caller can call now. */
export const callTool = (find: (name: string) => Tool | undefined): Tool => ({
  ...defineTool({
    name: "call_tool",
    description:
      "Call a tool that was added later; an <update> names it. Without input it returns the schema.",
    access: "read",
    membersOnly: true,
    input: () => z.strictObject({ name: text, input: z.looseObject({}).optional() }),
    subject: ({ name }) => name,
    run: ({ name }) => {
      const tool = find(name);
      return tool
        ? Promise.resolve(JSON.stringify(specOf(tool)))
        : Promise.reject(new Error(`There is no tool "${name}" now.`));
    },
  }),
  passesOn: (given) => {
    const said = inOurNames({ tool: "call_tool", input: given }).input ?? {};
    const { name, input, ...more } = said as { readonly name?: unknown; readonly input?: unknown };
    // With more than that it runs itself, and is refused.
    const isWhole = typeof name === "string" && input !== undefined && Object.keys(more).length === 0;
    return isWhole ? { tool: name, input } : null;
  },
});
