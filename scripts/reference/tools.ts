/** Every tool that a member may be offered, once. */

import { TOOL_NAMES } from "../../src/core/tool-names.ts";
import type { Tool } from "../../src/ports/index.ts";
import { specOf } from "../../src/tools/index.ts";
import { everyTool } from "../../test/fixtures/every-tool.ts";

type Shown = Pick<Tool, "name" | "description" | "access"> & { readonly schema: unknown };

/** In the order of `TOOL_NAMES`; the first of several forms of a tool. */
export function allTools(): Shown[] {
  return TOOL_NAMES.map((name) => {
    const tool = everyTool.find((one) => one.name === name);
    if (!tool) throw new Error(`test/fixtures/every-tool.ts lacks the tool ${name}`);
    // Its description names the skills of the project.
    const description = name === "load_skill" ? "Load the instructions of a skill." : tool.description;
    return { name, description, access: tool.access, schema: specOf(tool).schema };
  });
}
