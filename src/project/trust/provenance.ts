/**
 * Proves which texts of tasks a person's process wrote: each is signed with a key of the person's own folder before it is put on a
 * board. A text that a store brought, an import read or a member wrote has no signature, whatever its author is said to be.
 */

import { createHmac, randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.ts";
import { isMade } from "../../adapters/small-files.ts";

/** Where a text holds: the same text in another store or team is not the person's word. */
export type Board = {
  /** The URL of the store. */
  readonly store: string;
  readonly team: string;
};

const KEY_BYTES = 32;

export class Provenance {
  private readonly folder: string;
  private known: { readonly at: string; readonly signatures: ReadonlySet<string> } | null = null;

  /** `userFolder`: the person's own; it need not exist. */
  constructor(userFolder: string) {
    this.folder = join(userFolder, "trust");
  }

  /** To be called before the tasks are on the board: a member may claim one at once. */
  sign(board: Board, descriptions: readonly (string | undefined)[]): void {
    const texts = descriptions.flatMap((text) => (text ? [this.signature(board, text)] : []));
    const known = this.signatures();
    const fresh = [...new Set(texts)].filter((one) => !known.has(one));
    if (fresh.length > 0) appendFileSync(this.file, `${fresh.join("\n")}\n`, { mode: 0o600 });
  }

  isSigned(board: Board, description: string): boolean {
    return existsSync(this.file) && this.signatures().has(this.signature(board, description));
  }

  private get file(): string {
    return join(this.folder, "signed-tasks");
  }

  private signature({ store, team }: Board, text: string): string {
    const hmac = createHmac("sha256", this.key());
    for (const part of [store, team, text]) hmac.update(`${Buffer.byteLength(part)}:${part}`);
    return hmac.digest("base64url");
  }

  private key(): Buffer {
    const path = join(this.folder, "key");
    makeFolder(dirname(path), 0o700);
    if (!existsSync(path))
      isMade(() => writeFileSync(path, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" }));
    return readFileSync(path);
  }

  /** Read again when another process has added some. */
  private signatures(): ReadonlySet<string> {
    if (!existsSync(this.file)) return new Set();
    const { size, mtimeMs } = statSync(this.file);
    const at = `${size} ${mtimeMs}`;
    if (this.known?.at !== at)
      this.known = { at, signatures: new Set(readFileSync(this.file, "utf8").split("\n")) };
    return this.known.signatures;
  }
}
