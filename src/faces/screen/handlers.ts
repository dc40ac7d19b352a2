/** What the screen is told by the program that runs it: the commands that it offers, and what keys and lines do. */
import type { Name } from "../../core/ids.ts";
import type { Invocation } from "../invocation.ts";
import type { Offered } from "./completion.ts";

export type Handlers = {
  /** The key that stops the lead, or the run, and its verb. */
  readonly stopKey: string;
  /** A line for a member, or a command. */
  submit(text: string, to: Name): void;
  /** Esc: what the lead does now. */
  interrupt(): void;
  /** Ctrl-C, which may be the second. */
  ctrlC(): void;
  /** Ctrl-D. */
  leave(): void;
};

export type ScreenOptions = {
  readonly call: Invocation;
  readonly commands: readonly Offered[];
  readonly handlers: Handlers;
  readonly greeting?: string;
};
