/** Every tool that a member may be offered, once. */

import { TOOL_NAMES } from "../../src/core/tool-names.ts";
import type { Tool, Worktrees } from "../../src/ports/index.ts";
import { patchTool } from "../../src/tools/apply-patch.ts";
import { askPerson } from "../../src/tools/ask-person.ts";
import { callTool } from "../../src/tools/call-tool.ts";
import { compact } from "../../src/tools/compact.ts";
import { fetchUrl } from "../../src/tools/fetch-url.ts";
import { cronTools, jobTools, planTools, specOf, teamsTools } from "../../src/tools/index.ts";
import { connectMcp } from "../../src/tools/mcp.ts";
import { memoryTools } from "../../src/tools/memory.ts";
import { reviewPermission } from "../../src/tools/permissions.ts";
import { skillTools } from "../../src/tools/skill.ts";
import { taskTool } from "../../src/tools/subagent.ts";
import { todoWrite } from "../../src/tools/todo.ts";
import { webSearch } from "../../src/tools/web-search.ts";
import { worktreeTools } from "../../src/tools/worktree.ts";
import { leadTools, teammateTools } from "../../test/fixtures/first-tools.ts";

type Shown = Pick<Tool, "name" | "description" | "access"> & { readonly schema: unknown };

/** No tool is called here. */
const never = (): never => {
  throw new Error("not to be called");
};
const skill = { name: "release", description: "", body: "", folder: "" };

/** In the order of `TOOL_NAMES`; the first of several forms of a tool. */
export function allTools(): Shown[] {
  const tools: readonly Tool[] = [
    patchTool(true),
    ...worktreeTools({} as Worktrees, true),
    ...leadTools,
    ...teammateTools,
    ...Object.values(cronTools),
    ...jobTools,
    teamsTools.create,
    teamsTools.delete(never),
    compact(() => 0),
    callTool(never),
    planTools.request,
    planTools.review,
    planTools.submit(1),
    askPerson(1),
    fetchUrl(never, never),
    webSearch(never),
    reviewPermission,
    todoWrite,
    taskTool(never, []),
    connectMcp(never),
    ...memoryTools({ recall: never, remember: never }),
    ...skillTools(() => [skill]),
  ];
  return TOOL_NAMES.map((name) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(`scripts/reference/tools.ts lacks the tool ${name}`);
    // Its description names the skills of the project.
    const description = name === "load_skill" ? "Load the instructions of a skill." : tool.description;
    return { name, description, access: tool.access, schema: specOf(tool).schema };
  });
}
