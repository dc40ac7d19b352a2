/**
 * Commands under way, as a file each: one that was killed together with this program, such as by `rm -rf` and a power cut, is recorded by the
 * next process, from the look before the command. What anybody changed in between is in that record, too.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Name } from "../../../core/ids.ts";
import { parseJson } from "../../../core/plain-data.ts";
import { tried } from "../../../core/tried.ts";
import { namesIn, textIn } from "../../small-files.ts";
import { isTicketHeld, newTicket, ticketIn } from "../../tickets.ts";
import { isRoot } from "./disk.ts";
import type { OwnRepository } from "./own-repository.ts";
import { type NewChange, type Records, ROOT } from "./records.ts";
import { WatchedFolder } from "./watched-folder.ts";

/** The record of a command without what it changes. */
export type Begun = Omit<NewChange, "roots" | "at" | "left" | "beside"> & { readonly root: string };

const folderIn = ({ folder }: OwnRepository): string => join(folder, "running");

/** @returns what takes the file away: its command has ended */
export function underWay(repository: OwnRepository, team: Name, begun: Begun): () => void {
  const file = join(folderIn(repository), `${team}.${newTicket()}`);
  writeFileSync(file, JSON.stringify(begun), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

export async function recordKilled(repository: OwnRepository, team: Name, records: Records): Promise<void> {
  const folder = folderIn(repository);
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const ticket = ticketIn(name, `${team}.`);
    if (ticket === null || isTicketHeld(ticket, file)) continue;
    const begun = tried(() => parseJson(textIn(file)), null) as Begun | null;
    rmSync(file, { force: true });
    // A project may have brought the file.
    if (typeof begun?.root !== "string" || !ROOT.test(begun.root)) continue;
    if (!isRoot(repository.project, begun.root)) continue;
    const { root, ...change } = begun;
    const { paths, left } = await new WatchedFolder(repository, join(repository.project, root)).look();
    if (paths.length > 0)
      await records.add({ ...change, at: Date.now(), beside: [], left, roots: [{ root, paths }] });
  }
}
