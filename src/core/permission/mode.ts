/** Permission modes: the answer to a call that no rule matches. And the request and the decision that rules and modes are about. */
import { badInput } from "../errors.ts";
import { quote } from "../ids.ts";
import type { Place } from "../shell/places.ts";
import { type Effect, type Rule, showRule } from "./rule.ts";

/**
 * - `read`: changes nothing; several run at once. - `write`: changes files. - `exec`: runs programs.
 * - `team`: the board, the mailboxes, the roster: allowed unless a rule says otherwise.
 */
export type Access = "read" | "write" | "exec" | "team";

export const MODES = ["plan", "default", "accept-edits", "bypass"] as const;
export type Mode = (typeof MODES)[number];
export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  plan: "no file is edited",
  default: "you are asked before files are edited",
  "accept-edits": "files are edited without asking",
  bypass: "nothing is asked",
};
/** For a line that has room for few words. */
export const MODE_SHORT: Readonly<Record<Mode, string>> = {
  plan: "plans, edits nothing",
  default: "asks before edits",
  "accept-edits": "edits without asking",
  bypass: "asks nothing",
};

/** What a mode says of commands. `unasked`: they run in the sandbox without a question. */
export const commandWords = (mode: Mode, unasked: boolean): string =>
  mode === "bypass"
    ? ""
    : mode === "plan"
      ? unasked
        ? "commands run in the sandbox, where they change nothing"
        : "no command runs"
      : unasked
        ? "commands run in the sandbox without asking"
        : "you are asked before commands run";

/** @throws EkidenError `bad_input` with the modes */
export function readMode(text: string): Mode {
  const mode = MODES.find((one) => one === text.trim());
  if (mode) return mode;
  throw badInput(`${quote(text)} is not a permission mode. Modes: ${MODES.join(", ")}.`);
}

/** A call, and where it would run: `workspace` is the folder it works in. */
export type PermissionRequest = Place & {
  readonly tool: string;
  readonly access: Access;
  /** The command, the path, the recipient; "" when the tool has none. */
  readonly subject: string;
  /** Files and folders that it reads and writes; rules about files hold for each. */
  readonly reads?: readonly string[] | undefined;
  readonly writes?: readonly string[] | undefined;
  /** The shell line that it runs. */
  readonly line?: string | undefined;
};

export type Decision = {
  readonly effect: Effect;
  /** The rule that decided; null when the mode or a built-in did. */
  readonly rule: Rule | null;
  /** For the person who is asked and the model that is refused: a sentence without its full stop. */
  readonly reason: string;
  /** A rule that would allow exactly this call, as people type it; null when none can be written. */
  readonly suggestion: string | null;
  /** A line in the sandbox wants this outside of it: paths, absolute and without links. Null: more than paths can say. */
  readonly outside?: readonly string[] | null;
  /** Those of them that it writes. */
  readonly written?: readonly string[] | undefined;
  /** The shell line was judged to change nothing: a sandbox may run it with the workspace read-only. */
  readonly readOnly?: true;
};

/** A decision without the rule that "always" would add. */
export type Verdict = Omit<Decision, "suggestion">;

export const says = (rule: Rule): Verdict => ({
  effect: rule.effect,
  rule,
  reason: `the rule ${rule.effect} ${showRule(rule)} says so`,
});

export const allows = (reason: string): Verdict => ({ effect: "allow", rule: null, reason });

/** The answer of each mode to a call that no rule matches. */
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
