/** The lines of three versions of a file, merged by git. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OwnRepository } from "../../../adapters/git/undo/own-repository.ts";
import { newTicket } from "../../../adapters/tickets.ts";

/** By git, on three files of our own. null where they conflict. */
export async function mergeIn(
  repository: OwnRepository,
  base: Buffer,
  ours: Buffer,
  theirs: Buffer,
): Promise<Buffer | null> {
  const draft = join(repository.folder, "drafts", newTicket());
  const files = [ours, base, theirs].map((content, nth) => ({ content, path: `${draft}.${nth}` }));
  try {
    for (const { path, content } of files) writeFileSync(path, content, { mode: 0o600 });
    const args = ["merge-file", "-p", "-q", ...files.map(({ path }) => path)];
    const codes = Array.from({ length: 256 }, (_, code) => code); // the number of conflicts, or 255 for a binary file
    const { out, code } = await repository.run("git", args, { encoding: "latin1", codes });
    return code === 0 ? Buffer.from(out, "latin1") : null;
  } finally {
    for (const { path } of files) rmSync(path, { force: true });
  }
}
