/** Finds programs: bash, and the ripgrep that came with the package. Each is looked for once. */

import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { succeeds } from "../../core/tried.ts";

/** bash, or sh where there is none. Absolute when found, so that no spawn searches PATH again. */
export function findShell(path: string | undefined): string {
  const folders = ["/bin", "/usr/bin", "/usr/local/bin", ...(path ?? "").split(delimiter).filter(isAbsolute)];
  for (const program of ["bash", "sh"]) {
    for (const folder of folders) if (isExecutable(join(folder, program))) return join(folder, program);
  }
  return "sh";
}

/**
 * The arguments that make a shell run a script. With a pipe of Node, a socket, as its input, bash takes itself for a remote shell and
 * would run the user's ~/.bashrc first: programs that nobody asked for, which take long and may wait for a lock.
 */
export const scriptArgs = (shell: string, script: string, ...args: readonly string[]): string[] => [
  ...(/(?:^|\/)bash$/.test(shell) ? ["--norc"] : []),
  ...["-c", script, ...args],
];

let ripgrep: Promise<string> | undefined;

/** The bundled program of that name, or the name itself for PATH to resolve. */
export function bundled(program: string): Promise<string> | string {
  if (program !== "rg") return program;
  // Its package throws on import when there is no binary for this platform.
  ripgrep ??= import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => "rg",
  );
  return ripgrep;
}

const isExecutable = (path: string): boolean => succeeds(() => accessSync(path, constants.X_OK));
