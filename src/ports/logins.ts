/** The windows of logins of agent programs, as they were last said. The store keeps them, so that a resumed run waits for a reset, too. */
import type { LoginWindow } from "../core/limits/window.ts";

export interface Logins {
  /** With its fact. */
  note(window: LoginWindow): Promise<void>;
  list(): Promise<LoginWindow[]>;
}
