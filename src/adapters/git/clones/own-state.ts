/**
 * The folder for the notes of this program about a git directory: the landing line, locks between processes, and what a landing has
 * begun. It is in the person's folder, because commands of members may write to the git directory itself.
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { badInput, messageOf } from "../../../core/errors.ts";
import { makeFolder } from "../../make-folder.ts";

/** The folder of one git directory; made when it is missing. @throws EkidenError `bad_input` */
export function ownStateOf(gitDir: string, home = homedir()): string {
  const { XDG_STATE_HOME: state = "" } = process.env;
  const root = isAbsolute(state) ? state : join(home, ".local", "state");
  const folder = join(root, "ekiden", "git", createHash("sha256").update(gitDir).digest("hex").slice(0, 24));
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    throw badInput(
      `${folder} cannot be created, and Ekiden stores the progress of landings there: ${messageOf(error).replace(/\.$/, "")}. Set HOME, or XDG_STATE_HOME, to a folder that you can write to.`,
      { cause: error },
    );
  }
  return folder;
}

/** The file that tells after a crash that a landing began an operation in the worktree with this git directory, and for which commit. */
export const atWorkFile = (gitDir: string): string => join(ownStateOf(gitDir), "at-work");
