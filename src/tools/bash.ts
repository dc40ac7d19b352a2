/** Runs a command line in the workspace. A failed command is an ordinary result: the model reads the exit code. */
import { z } from "zod";
import { MEMBER_VARIABLE } from "../core/board/member.ts";
import { taskVariables } from "../core/board/task-variables.ts";
import { badInput } from "../core/errors.ts";
import { plainText } from "../core/text/plain-text.ts";
import type { ShellResult } from "../ports/index.ts";
import { startJob } from "./background.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";

const TIMEOUT_MS = 120_000;
const TIMEOUT_MAX_MS = 3_600_000;

export const bash = defineTool({
  name: "bash",
  description: "Run a bash command, no stdin. Each call is a new shell.",
  input: () =>
    z.strictObject({
      command: text,
      timeout_ms: maybe.whole,
      run_in_background: maybe.flag,
    }),
  access: "exec",
  async accessOf({ command, run_in_background: background }) {
    if (background) return "exec";
    const { changesNothing } = await import("../core/shell/readonly.ts");
    return changesNothing(command) ? "read" : "exec";
  },
  subject: ({ command }) => command,
  line: ({ command }) => command,
  async run({ command, timeout_ms: asked, run_in_background: background }, ctx) {
    const timeoutMs = asked ?? ctx.commandTimeoutMs ?? TIMEOUT_MS;
    if (background) return await startJob(ctx, command);
    if (command.trim() === "") throw badInput("The command is empty.");
    if (timeoutMs < 1 || timeoutMs > TIMEOUT_MAX_MS)
      throw badInput(`timeout_ms ${timeoutMs} is not between 1 and ${TIMEOUT_MAX_MS}.`);
    const result = await ctx.shell.run(command, {
      cwd: ctx.workspace,
      signal: ctx.signal,
      timeoutMs,
      env: {
        [MEMBER_VARIABLE]: ctx.self,
        ...taskVariables(ctx.store.team, await ctx.currentTask(), command),
      },
    });
    return report(result, timeoutMs);
  },
});

/** Output that reads like the note of a command that failed. */
const LOOKS_FAILED = /^exit code -?\d|(?:^|\n)\[(?:exit code -?\d+|timed out .*|ended by \w+)\]\s*$/i;

/** The output, then one line in brackets for each unusual fact. The exit code comes last. */
export function report(result: ShellResult, timeoutMs: number): string {
  const notes: string[] = [];
  if (result.spooledTo !== null)
    notes.push(`[whole output, ${result.totalBytes} bytes: ${result.spooledTo}]`);
  const { limit, denial, setAside } = result;
  for (const note of [limit, denial, setAside]) if (note !== null) notes.push(note);
  if (result.timedOut)
    notes.push(`[timed out after ${timeoutMs} ms and was ended with everything it started]`);
  else if (result.signal !== null) notes.push(`[ended by ${result.signal}]`);
  else if (result.exitCode !== 0) notes.push(`[exit code ${result.exitCode}]`);
  const text = plainText(result.output);
  if (result.exitCode === 0 && notes.length === 0 && LOOKS_FAILED.test(text)) notes.push("[exit code 0]");
  return [text === "" && notes.length === 0 ? "(no output)" : text, ...notes]
    .filter((part) => part !== "")
    .join("\n");
}
