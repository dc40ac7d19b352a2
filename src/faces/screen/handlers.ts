/** The program that runs the screen tells it this: the commands that it offers, and what keys and lines do. */
import type { Name } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { Offered } from "./editor/completion.ts";
import type { ActionName } from "./keys.ts";

export type Handlers = {
  /** The key that stops the lead, or the run, and its verb. */
  readonly stopKey: string;
  /** A line for a member, or a command. */
  submit(text: string, to: Name): void;
  /** Esc: interrupts the member that is looked at. Returns whether there was something to interrupt. */
  interrupt(who: Name): boolean;
  /** Ctrl-C, which may be the second. */
  ctrlC(): void;
  /** Ctrl-D. */
  leave(): void;
  /** The permission mode; null until the team is open. */
  mode(): Mode | null;
  /** The team waits until more is allowed. */
  isUsedUp?(): boolean;
  /** Shift-Tab: the next mode, in words. */
  /** `warn`: the order was not obeyed. */
  nextMode(warn: (text: string) => void): string;
  /** For a person who only looks: there is no editor, and nothing is changed. */
  readonly watch?: Watch;
};

export type Watch = {
  /** For the first line, and the keys for the last one. */
  title(): string;
  readonly keys: string;
  /** The action of a key that comes before all others; "taken" where it is done already. */
  actionOf(data: string): ActionName | "taken" | null;
};

export type ScreenOptions = {
  readonly call: Invocation;
  readonly commands: readonly Offered[];
  /** Models that may follow `/model`. */
  readonly models?: () => Promise<readonly string[]>;
  readonly handlers: Handlers;
  readonly greeting?: string;
};
