/**
 * The person's check commands: after an edit, those whose pattern fits the file run where the member's own commands run and as
 * confined as they, and their output comes back with the edit. They refuse nothing.
 */

import { MEMBER_VARIABLE } from "../../core/board/member.ts";
import { taskVariables } from "../../core/board/task-variables.ts";
import { messageOf } from "../../core/errors.ts";
import { pathPattern } from "../../core/paths/path-pattern.ts";
import { plainText } from "../../core/text/plain-text.ts";
import { headAndTail } from "../../core/text/valid.ts";
import type { ToolContext } from "../../ports/index.ts";
import type { Wrap } from "../agent/call.ts";

const TIMEOUT_MS = 30_000;
const OUTPUT_MAX = 4_000;

/** `checks`: a command for each pattern. A pattern without a slash fits the name of a file in any folder. */
export function checkedEdits(checks: Readonly<Record<string, string>>): Wrap {
  const all = Object.entries(checks).map(([pattern, command]) => ({
    fits: pathPattern(pattern.includes("/") ? pattern : `**/${pattern}`),
    command,
  }));
  return (next) => async (call) => {
    const text = await next(call);
    const { tool, input, access, ctx } = call;
    if (access !== "write") return text;
    const files = (tool.writes?.(input) ?? []).map((file) => inside(file, ctx.workspace));
    const due = new Set(
      all.filter(({ fits }) => files.some((file) => fits.test(file))).map(({ command }) => command),
    );
    const said = [text];
    for (const command of due) said.push(await outcomeOf(command, ctx));
    return said.join("\n");
  };
}

/** Models name files from the workspace or absolutely. */
const inside = (file: string, workspace: string): string =>
  file.startsWith(`${workspace}/`) ? file.slice(workspace.length + 1) : file.replace(/^\.\//, "");

async function outcomeOf(command: string, ctx: ToolContext): Promise<string> {
  const { shell, workspace, signal, self, store } = ctx;
  try {
    const ran = await shell.run(command, {
      cwd: workspace,
      signal,
      timeoutMs: TIMEOUT_MS,
      env: { [MEMBER_VARIABLE]: self, ...taskVariables(store.team, await ctx.currentTask(), command) },
    });
    if (ran.exitCode === 0) return `[check \`${command}\`: ok]`;
    const how = ran.timedOut ? `not done after ${TIMEOUT_MS / 1_000} s` : `exit code ${ran.exitCode}`;
    const output = headAndTail(plainText(ran.output), OUTPUT_MAX, "run it to see the rest");
    return [`[check \`${command}\`: ${how}]`, output].filter(Boolean).join("\n");
  } catch (error) {
    if (signal.aborted) throw error;
    return `[check \`${command}\` could not run: ${messageOf(error)}]`;
  }
}
