/** What the screen is told by the program that runs it: the commands that it offers, and what keys and lines do. */
import type { Name } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import type { Invocation } from "../invocation.ts";
import type { Offered } from "./completion.ts";

export type Handlers = {
  /** The key that stops the lead, or the run, and its verb. */
  readonly stopKey: string;
  /** A line for a member, or a command. */
  submit(text: string, to: Name): void;
  /** Esc: what the member does now that is looked at. Whether there was something to interrupt. */
  interrupt(who: Name): boolean;
  /** Ctrl-C, which may be the second. */
  ctrlC(): void;
  /** Ctrl-D. */
  leave(): void;
  /** The permission mode; null until the team is open. */
  mode(): Mode | null;
  /** Shift-Tab: the next mode. */
  nextMode(): void;
};

export type ScreenOptions = {
  readonly call: Invocation;
  readonly commands: readonly Offered[];
  /** Models that may follow `/model`. */
  readonly models?: () => Promise<readonly string[]>;
  readonly handlers: Handlers;
  readonly greeting?: string;
};
