/** The proofs of this machine, in a file of the person's. */

import { join } from "node:path";
import { tried } from "../../core/tried.ts";
import { jsonIn, replaceOwnFile } from "../small-files.ts";

/** Keeps what was proven, by everything that it depends on. A failure is not kept: the next start tries again. */
export class ProvenKeys {
  private readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "sandbox.json");
  }

  has(key: string): boolean {
    return this.read().includes(key);
  }

  add(key: string): void {
    const proven = [...new Set([key, ...this.read()])].slice(0, 20);
    const text = `${JSON.stringify({ proven }, null, 2)}\n`;
    tried(() => replaceOwnFile(this.path, text), null); // else it is proven again at the next start
  }

  private read(): string[] {
    const proven = jsonIn<{ readonly proven: unknown }>(this.path)?.proven;
    return Array.isArray(proven) ? proven.map(String) : [];
  }
}

/** The usual reason of a failed proof. */
export const hintOf = (fault: string): string =>
  /namespace|permission|Operation not permitted|No such file.*ns|uid map/i.test(fault)
    ? " User namespaces are probably disabled here (containers, kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces)."
    : "";
