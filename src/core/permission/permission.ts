/**
 * May this call run? Pure: rules, a mode and a call in, an answer out. Deny rules beat everything; then the first rule that
 * fits; then the mode's default. Shell lines are judged by the commands in them (`shell-line.ts`), never by their text.
 */
import { resolvePath } from "../paths.ts";
import { closedBy, closing } from "./closed-files.ts";
import { type Access, type Attempt, DEFAULTS, type Decision, isOurs, type Mode, VERBS } from "./mode.ts";
import { concerns, fitsPath, fitsText, type Rule, showRule } from "./rule.ts";
import { judgeShell } from "./shell-line.ts";

export { closedBy, closing } from "./closed-files.ts";
export type { Access, Attempt, Decision, Mode } from "./mode.ts";
export { parseRule, type Rule, showRule } from "./rule.ts";

export function decide(rules: readonly Rule[], mode: Mode, call: Attempt): Decision {
  const mine = rules.filter((rule) => concerns(rule, call.tool));
  if (call.tool === "bash") return judgeShell(mine, rules, mode, call);
  const use = call.access === "read" ? "read" : "write";
  const rule =
    mine.find((one) => one.effect === "deny" && fits(one, call)) ??
    (FILE_TOOLS.has(call.tool) ? closedBy(closing(rules, use), call.subject, call) : undefined) ??
    mine.find((one) => fits(one, call)) ??
    null;
  const suggestion = suggest(call);
  if (rule)
    return {
      effect: rule.effect,
      rule,
      reason: `the rule ${rule.effect} ${showRule(rule)} says so`,
      suggestion: rule.effect === "deny" ? null : suggestion,
    };
  if (
    mode === "accept-edits" &&
    call.access === "write" &&
    isOurs(realOf(call, call.subject), call.workspace)
  )
    return {
      effect: "ask",
      rule: null,
      reason: `${call.subject} belongs to git or to Ekiden itself`,
      suggestion,
    };
  const effect = DEFAULTS[mode][call.access];
  return {
    effect,
    rule: null,
    reason: `mode ${mode} ${VERBS[effect]} tools that ${DOES[call.access]}`,
    suggestion,
  };
}

const FILE_TOOLS: ReadonlySet<string> = new Set(["read_file", "write_file", "edit_file"]);

const DOES: Readonly<Record<Access, string>> = {
  read: "read",
  write: "write files",
  exec: "run programs",
  team: "talk to the team",
};

const realOf = ({ workspace, real }: Attempt, path: string): string => {
  const full = resolvePath(workspace, path);
  return real?.(full) ?? full;
};

const hasPath = ({ tool, access }: Attempt): boolean =>
  (access === "read" || access === "write") && !tool.startsWith("mcp__");

function fits(rule: Rule, call: Attempt): boolean {
  if (rule.match === undefined) return true;
  return hasPath(call)
    ? fitsPath(rule, call.subject, call.workspace, call.home)
    : fitsText(rule, call.subject);
}

function suggest(call: Attempt): string {
  if (!hasPath(call) || call.subject === "") return call.tool;
  const folder = call.subject.replace(/[^/]*$/, "");
  return `${call.tool}(${folder}**)`;
}
