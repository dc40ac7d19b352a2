/**
 * The folder for the notes of this program about a git directory: the landing line, locks between processes, and what a landing has
 * begun. It is in the person's folder, because commands of members may write to the git directory itself.
 */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folder of one git directory; made when it is missing. */
export function ownStateOf(gitDir: string, home = homedir()): string {
  const { XDG_STATE_HOME: state = "" } = process.env;
  const root = isAbsolute(state) ? state : join(home, ".local", "state");
  const folder = join(root, "ekiden", "git", createHash("sha256").update(gitDir).digest("hex").slice(0, 24));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
