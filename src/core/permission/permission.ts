/**
 * May this call run? Pure: rules, a mode and a call in, an answer out. Deny rules beat everything; then the first rule that
 * fits; then the mode's default. Shell lines are judged by the commands in them (`shell-line.ts`), never by their text.
 */
import { resolvePath } from "../paths.ts";
import { denialFor, fileDenials } from "./file-denials.ts";
import {
  type Access,
  type Decision,
  isOurs,
  MODE_DEFAULTS,
  type Mode,
  type PermissionRequest,
  VERBS,
} from "./mode.ts";
import { concerns, fitsPath, fitsText, type Rule, showRule } from "./rule.ts";
import { judgeShell } from "./shell-line.ts";

export { denialFor, fileDenials } from "./file-denials.ts";
export type { Access, Decision, Mode, PermissionRequest } from "./mode.ts";
export { parseRule, type Rule, showRule } from "./rule.ts";

export function decide(rules: readonly Rule[], mode: Mode, call: PermissionRequest): Decision {
  const mine = rules.filter((rule) => concerns(rule, call.tool));
  if (call.tool === "bash") return judgeShell(mine, rules, mode, call);
  const use = call.access === "read" ? "read" : "write";
  const rule =
    mine.find((one) => one.effect === "deny" && fits(one, call)) ??
    (FILE_TOOLS.has(call.tool) ? denialFor(fileDenials(rules, use), call.subject, call) : undefined) ??
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
  const effect = MODE_DEFAULTS[mode][call.access];
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

const realOf = ({ workspace, real }: PermissionRequest, path: string): string => {
  const full = resolvePath(workspace, path);
  return real?.(full) ?? full;
};

const hasPath = ({ tool, access }: PermissionRequest): boolean =>
  (access === "read" || access === "write") && !tool.startsWith("mcp__");

function fits(rule: Rule, call: PermissionRequest): boolean {
  if (rule.match === undefined) return true;
  return hasPath(call)
    ? fitsPath(rule, call.subject, call.workspace, call.home)
    : fitsText(rule, call.subject);
}

function suggest(call: PermissionRequest): string {
  if (!hasPath(call) || call.subject === "") return call.tool;
  const folder = call.subject.replace(/[^/]*$/, "");
  return `${call.tool}(${folder}**)`;
}
