/** Permission modes: what is said to a call that no rule speaks of. And the question and the answer that rules and modes are about. */
import { isWithin } from "../paths.ts";
import type { Effect, Rule } from "./rule.ts";

/**
 * - `read`: changes nothing; several run at once. - `write`: changes files. - `exec`: runs programs.
 * - `team`: the board, the mailboxes, the roster: allowed unless a rule says otherwise.
 */
export type Access = "read" | "write" | "exec" | "team";

export const MODES = ["plan", "default", "accept-edits", "bypass"] as const;
export type Mode = (typeof MODES)[number];

export type PermissionRequest = {
  readonly tool: string;
  readonly access: Access;
  /** The command, the path, the recipient; "" when the tool has none. */
  readonly subject: string;
  /** The folder the call works in, absolute. */
  readonly workspace: string;
  readonly home?: string | undefined;
  /** Further folders that may be read. */
  readonly readable?: readonly string[] | undefined;
  /** Where an absolute path leads through symbolic links; without it, nowhere else. */
  readonly real?: ((path: string) => string) | undefined;
};

export type Decision = {
  readonly effect: Effect;
  /** The rule that decided; null when the mode or a built-in did. */
  readonly rule: Rule | null;
  /** For whoever is asked or refused, a sentence without its full stop. */
  readonly reason: string;
  /** The rule that would allow it, as people type it; null when nothing would. */
  readonly suggestion: string | null;
};

/** What a mode says to a call that no rule speaks of. */
export const MODE_DEFAULTS: Readonly<Record<Mode, Readonly<Record<Access, Effect>>>> = {
  plan: { read: "allow", team: "allow", write: "deny", exec: "deny" },
  default: { read: "allow", team: "allow", write: "ask", exec: "ask" },
  "accept-edits": { read: "allow", team: "allow", write: "allow", exec: "ask" },
  bypass: { read: "allow", team: "allow", write: "allow", exec: "allow" },
};

export const VERBS: Readonly<Record<Effect, string>> = {
  allow: "allows",
  ask: "asks before",
  deny: "refuses",
};

/** Settings, hooks and the store decide what agents may do; so an agent's edit of them is never taken for an ordinary one. */
export const isOurs = (path: string, workspace: string): boolean =>
  isWithin(`${workspace}/.git`, path) ||
  (isWithin(`${workspace}/.ekiden`, path) && !isWithin(`${workspace}/.ekiden/worktrees`, path));
