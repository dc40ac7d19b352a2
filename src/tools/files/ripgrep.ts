/** Runs ripgrep, which comes with the package. `glob` and `grep` share its rules, so both leave out the same files. */
import { isEkidenError, toolFailed } from "../../core/errors.ts";
import type { ShellResult, ToolContext } from "../../ports/index.ts";

/** Hidden files count; `.git` and what .gitignore files name do not, also outside of a repository. */
const RULES = ["--no-config", "--hidden", "--glob=!.git", "--no-require-git"];
const TIMEOUT_MS = 30_000;
/** A name ends in a NUL byte with `--null`; this is how the shell shows one in output. */
export const NUL = "\u2400";

/** `place`: the folder or file that is searched, without links. */
type RunOptions = { readonly place: string; readonly keepBytes: number };

/**
 * It runs in the sandbox where there is one: a command could put a link in the place of a folder while it is searched, and then it finds
 * no more than a command does.
 * @throws EkidenError `tool_failed`: not there, or too slow
 */
export async function ripgrep(
  args: readonly string[],
  { shell, signal, workspace }: ToolContext,
  { place, keepBytes }: RunOptions,
): Promise<ShellResult> {
  const run = shell.exec("rg", [...RULES, ...args], {
    ...{ cwd: workspace, keepBytes, signal, timeoutMs: TIMEOUT_MS },
    confine: { readOnly: true, network: "off", readable: [place] },
  });
  const result = await run.catch((error: unknown) => {
    if (!isEkidenError(error, "tool_failed") || error.details.missing !== true) throw error;
    const message =
      "ripgrep is missing, so this tool cannot search. Use find or grep with bash; the person can repair it by npm install.";
    throw toolFailed(message, { cause: error });
  });
  if (!result.timedOut) return result;
  const message = `The search took longer than ${TIMEOUT_MS / 1000} s. Narrow the path or the glob.`;
  throw toolFailed(message);
}

/** About 300,000 names. */
const LIST_BYTES = 16 * 1024 * 1024;

/** The files below a folder, relative to it. `isWhole`: false when there are more than can be listed. */
export async function filesBelow(
  folder: string,
  ctx: ToolContext,
): Promise<{ readonly files: readonly string[]; readonly isWhole: boolean }> {
  const options = { place: folder, keepBytes: LIST_BYTES };
  const args = ["--files", "--null", "--no-messages", "--", folder];
  const { output, totalBytes } = await ripgrep(args, ctx, options);
  const below = folder.endsWith("/") ? folder : `${folder}/`;
  const names = output.split(NUL).flatMap((name) => (name.startsWith(below) ? name.slice(below.length) : []));
  const isWhole = totalBytes <= LIST_BYTES;
  return { files: isWhole ? names : names.filter((name) => !name.includes("\n[… ")), isWhole };
}
