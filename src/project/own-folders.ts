/** The folders of the person that Ekiden writes to: settings and trust, and the files of the sandbox. */
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import envPaths from "env-paths";
import { makeFolder } from "../adapters/make-folder.ts";
import { badInput, messageOf } from "../core/errors.ts";
import { succeeds } from "../core/tried.ts";

/** The folder of the person's configuration; it need not exist. */
export const userFolder = (): string => envPaths("ekiden", { suffix: "" }).config;

/** The settings of the person. */
export const userFile = (): string => join(userFolder(), "settings.json");

/** The settings of the person for one project that are not shared with it, such as the rules of an "always". */
export function personalFile(project: string): string {
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 16);
  const name = `${basename(project)
    .replaceAll(/[^\w.-]+/g, "-")
    .slice(0, 40)}-${hash}`;
  return join(userFolder(), "projects", name, "settings.json");
}

/** Where the sandbox keeps its proofs and the caches of a project's commands, and which folders those must not see. */
export function sandboxFolders(workspace: string): {
  readonly stateFolder: string;
  readonly cacheFolder: string;
  readonly ownFolders: readonly string[];
} {
  const { config, data, log: state, cache } = envPaths("ekiden", { suffix: "" });
  const project = createHash("sha256").update(workspace).digest("hex").slice(0, 16);
  return {
    stateFolder: state,
    cacheFolder: join(cache, "sandbox", project),
    ownFolders: [config, data, state],
  };
}

/**
 * Makes them, so that a home that cannot be written is told before there is a team, and not by the first command of a member. The
 * sandbox makes its own for that command: here it is enough that it can.
 * @throws EkidenError `bad_input`
 */
export function makeOwnFolders(workspace: string): void {
  const { cacheFolder } = sandboxFolders(workspace);
  for (const folder of [userFolder(), cacheFolder])
    try {
      if (!isAbsolute(folder)) throw badInput("it is not an absolute path");
      if (folder !== cacheFolder) makeFolder(folder, 0o700);
      accessSync(nearest(folder), constants.W_OK);
    } catch (error) {
      throw badInput(
        `${folder} cannot be written, and Ekiden stores your agreements and the files of its sandbox there: ${messageOf(error).replace(/\.$/, "")}. Set HOME, or XDG_CONFIG_HOME and XDG_CACHE_HOME, to folders that you can write to.`,
        { cause: error },
      );
    }
}

/** A folder for temporary files that is not there (any more) is forgotten, for this process and its commands: the system's own is used. */
export function useTemporary(env: NodeJS.ProcessEnv): void {
  for (const name of ["TMPDIR", "TMP", "TEMP"])
    if (env[name] && !(isAbsolute(env[name]) && isWritable(`${env[name]}/`))) delete env[name];
}

/** The sandbox keeps its files there. @throws EkidenError `bad_input` */
export function checkTemporary(folder = tmpdir()): void {
  if (!isWritable(`${folder}/`))
    throw badInput(
      `${folder} cannot be written, and the sandbox keeps its files there. Set TMPDIR to a folder that you can write to.`,
    );
}

const isWritable = (path: string): boolean => succeeds(() => accessSync(path, constants.W_OK));

/** The folder itself, or the one above in which it would be made. */
const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
