/**
 * Names of files that belong to a process for as long as it lives: others see by the name whether somebody still needs the file.
 */

import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { livesAs, OWN_IDENTITY } from "./process-identity.ts";

/** A file of another machine or container that was not changed for this long belongs to a dead process. */
const SILENCE_MS = 120_000;

const TICKET = /^[0-9a-f]+\.\d+\.\d+\.[0-9a-f]+$/;

/** The identity of a process (process-identity.ts) and a random part: one use of it. */
export const newTicket = (): string => `${OWN_IDENTITY}.${randomBytes(6).toString("hex")}`;

/** The ticket in the name of a file that begins so; null where there is none. */
export const ticketIn = (name: string, prefix: string): string | null =>
  name.startsWith(prefix) && TICKET.test(name.slice(prefix.length)) ? name.slice(prefix.length) : null;

/** Whether the process that made the ticket lives. One that cannot be seen from here lives as long as `file` is new. */
export function isTicketHeld(ticket: string, file: string): boolean {
  const lives = livesAs(ticket);
  if (lives !== null) return lives;
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched < SILENCE_MS;
}
