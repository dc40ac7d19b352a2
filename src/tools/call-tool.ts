/** Passes a call on to a tool that came up after the conversation began: its list of tools stays as it was. */
import { z } from "zod";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";
import { specOf } from "./spec.ts";

/** `find`: a tool that the caller can call now. */
export const callTool = (find: (name: string) => Tool | undefined): Tool => ({
  ...defineTool({
    name: "call_tool",
    description: "Call a tool that came up later; an <update> names it. Without input: says what it takes.",
    access: "read",
    membersOnly: true,
    input: () => z.object({ name: text, input: z.looseObject({}).optional() }),
    subject: ({ name }) => name,
    run: ({ name }) => {
      const tool = find(name);
      return tool
        ? Promise.resolve(JSON.stringify(specOf(tool)))
        : Promise.reject(new Error(`There is no tool "${name}" now.`));
    },
  }),
  passesOn: (given) => {
    const { name, input } = (given ?? {}) as { readonly name?: unknown; readonly input?: unknown };
    return typeof name === "string" && input !== undefined ? { tool: name, input } : null;
  },
});
