/** The teammates of this process and the logins that they work with: who of them leaves tasks to whom. */

import type { Name } from "../../core/ids.ts";
import { areAlike, type Standing, standingOf } from "../../core/limits/choice.ts";
import type { Besides, Clock } from "../../ports/index.ts";
import type { Login } from "./login.ts";

/** `login`: what it shares with others. `windows`: those of its login, as they were last told. */
type Worker = Pick<Standing, "login" | "isStrong"> & { readonly windows: () => Login["windows"] };

export class Standings {
  private readonly workers = new Map<Name, Worker>();

  join(name: Name, worker: Worker): void {
    this.workers.set(name, worker);
  }

  leave(name: Name): void {
    this.workers.delete(name);
  }

  /** Null where nobody would leave a task to another one: claims need no further look then. */
  of(own: Name, clock: Clock): Besides["logins"] {
    if (this.workers.size < 2) return null;
    const now = clock.now();
    const all = [...this.workers].map(([name, { login, isStrong, windows }]) =>
      standingOf({ name, login, isStrong }, windows(), now),
    );
    const standing = all.find(({ name }) => name === own);
    if (standing === undefined || areAlike(all)) return null;
    return { own: standing, others: all.filter((one) => one !== standing) };
  }
}
