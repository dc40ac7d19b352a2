/** Git of our own for commands and pages that have no team at work: in a sandbox of its own, where one holds. */
import { Git } from "../adapters/git/git.ts";
import { lateSandbox } from "../adapters/sandbox/late.ts";
import { childEnvironment } from "../adapters/shell/environment.ts";
import type { Sandbox } from "../ports/shell.ts";
import { sandboxFolders } from "./own-folders.ts";

/** `sandbox`: null where none holds, so that commands run without one, too. */
export async function withGit<T>(
  project: string,
  use: (git: Git, sandbox: Sandbox | null) => Promise<T>,
): Promise<T> {
  const sandbox = lateSandbox({
    ...{ mode: "auto", network: "off", workspace: project, inWorktrees: true },
    ...sandboxFolders(project),
  });
  try {
    const held = (await sandbox.status()).active ? sandbox : null;
    return await use(new Git(childEnvironment(process.env), held), held);
  } finally {
    await sandbox.close();
  }
}

/** One process for each question, for what asks few. */
export const askGit =
  (project: string) =>
  (...args: string[]): Promise<string | null> =>
    withGit(project, (git) => git.ask(project, ...args));
