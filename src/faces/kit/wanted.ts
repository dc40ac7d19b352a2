/** Decides whether a terminal gets colours and the full screen. Loads nothing, because the first frame waits for this file. */

/** The smallest terminal on which the screen is of use. */
const COLUMNS_MIN = 40;
const ROWS_MIN = 12;

type Face = {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly plain: boolean;
  readonly env: NodeJS.ProcessEnv;
};

export function wantsScreen({ json, quiet, plain, env }: Face): boolean {
  if (json || quiet || plain || env.TERM === "dumb") return false;
  const { stdin, stdout } = process;
  if (stdin.isTTY !== true || stdout.isTTY !== true || process.stderr.isTTY !== true) return false;
  return (stdout.columns || 80) >= COLUMNS_MIN && (stdout.rows || 24) >= ROWS_MIN;
}

export function wantsColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env.TERM !== "dumb";
}
