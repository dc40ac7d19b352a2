/**
 * The token and the port of a project's page, kept in the person's folder: a page that is started again is the one that open tabs
 * know. Members cannot read that folder. Only a file that this person alone may read is used.
 */

import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { isOurs, jsonIn, replaceOwnFile } from "../../adapters/small-files.ts";
import { tried } from "../../core/tried.ts";
import { userFolder } from "../../project/own-folders.ts";

export type OwnPage = { readonly token: string; readonly port: number | null };

/** `readOnly`: a person who may only look must not learn the token of those who may act. */
export type WhichPage = { readonly cwd: string; readonly readOnly: boolean };

export function fileOf({ cwd, readOnly }: WhichPage): string {
  const project = createHash("sha256").update(cwd).digest("hex").slice(0, 16);
  return join(userFolder(), "pages", `${project}${readOnly ? "-look" : ""}.json`);
}

/** The token and port of the last page of this project; a new token where there was none. */
export function ownPage(which: WhichPage): OwnPage {
  const path = fileOf(which);
  const known = isOurs(path) ? jsonIn<Partial<OwnPage>>(path) : null;
  const token =
    typeof known?.token === "string" && /^[\w-]{32,}$/.test(known.token) ? known.token : undefined;
  const port = Number(known?.port);
  return {
    token: token ?? randomBytes(24).toString("base64url"),
    port: token !== undefined && Number.isInteger(port) && port > 0 && port < 65_536 ? port : null,
  };
}

/** A folder that cannot be written costs no page: its next start has another token. */
export function keepOwnPage(which: WhichPage, page: OwnPage): void {
  tried(() => replaceOwnFile(fileOf(which), `${JSON.stringify(page)}\n`), null);
}
