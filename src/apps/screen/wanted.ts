/** Whether this terminal gets the full screen. Loads nothing of it: headless starts are measured. */
import type { Invocation } from "../invocation.ts";

/** The smallest terminal on which the screen is of use. */
const COLUMNS_MIN = 40;
const ROWS_MIN = 12;

export function wantsScreen({ json, quiet, plain, env }: Invocation): boolean {
  const { stdin, stdout } = process;
  if (json || quiet || plain || env.TERM === "dumb") return false;
  if (stdin.isTTY !== true || stdout.isTTY !== true || process.stderr.isTTY !== true) return false;
  return (stdout.columns || 80) >= COLUMNS_MIN && (stdout.rows || 24) >= ROWS_MIN;
}
