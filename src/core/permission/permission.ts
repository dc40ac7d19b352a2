/**
 * May this call run? Pure: rules, a mode and a call in, a decision out. Deny rules beat everything; then the first rule that fits;
 * then the mode's default. Shell lines are judged by the commands in them (`shell-line.ts`), never by their text.
 */
import { resolvePath } from "../paths.ts";
import { physical } from "../shell/places.ts";
import { readPlain } from "../shell/plain.ts";
import { onlyReads } from "../shell/readonly.ts";
import { denialFor, fileDenials } from "./file-denials.ts";
import {
  type Access,
  type Decision,
  MODE_DEFAULTS,
  type Mode,
  type PermissionRequest,
  VERBS,
} from "./mode.ts";
import { namesProtected, protectedPart } from "./protected.ts";
import { concerns, fitsPath, fitsText, type Rule, showRule } from "./rule.ts";

export { denialFor, fileDenials } from "./file-denials.ts";
export type { Access, Decision, Mode, PermissionRequest } from "./mode.ts";
export { parseRule, type Rule, showRule } from "./rule.ts";

export async function decide(rules: readonly Rule[], mode: Mode, call: PermissionRequest): Promise<Decision> {
  const mine = rules.filter((rule) => concerns(rule, call.tool));
  if (call.tool !== "bash") return decideTool(rules, mine, mode, call);
  // The common case needs no tree of the line: no rule is against it, and every command only reads.
  const isFree = mine.every(({ effect }) => effect === "allow") && fileDenials(rules, "read").length === 0;
  const commands = isFree ? readPlain(call.subject) : null;
  if (commands && onlyReads(commands, call))
    return { effect: "allow", rule: null, reason: "it changes nothing", suggestion: null, readOnly: true };
  const { judgeShell } = await import("./shell-line.ts");
  return judgeShell(mine, rules, mode, call);
}

/** A call of a tool other than `bash`. */
function decideTool(
  rules: readonly Rule[],
  mine: readonly Rule[],
  mode: Mode,
  call: PermissionRequest,
): Decision {
  const use = call.access === "read" ? "read" : "write";
  const denied =
    mine.find((one) => one.effect === "deny" && fits(one, call)) ??
    (FILE_TOOLS.has(call.tool) ? denialFor(fileDenials(rules, use), call.subject, call) : undefined);
  const part = protectedBy(mine, call);
  const rule =
    denied ?? mine.find((one) => (part === null || one.effect !== "allow") && fits(one, call)) ?? null;
  // The person sees one text of a protected file; a rule would allow every other one too.
  const suggestion = part === null ? suggest(call) : null;
  if (rule)
    return {
      effect: rule.effect,
      rule,
      reason: `the rule ${rule.effect} ${showRule(rule)} says so`,
      suggestion: rule.effect === "deny" ? null : suggestion,
    };
  const usual = MODE_DEFAULTS[mode][call.access];
  if (part !== null && usual === "allow")
    return { effect: "ask", rule: null, reason: `${part} decides what runs later`, suggestion };
  return {
    effect: usual,
    rule: null,
    reason: `mode ${mode} ${VERBS[usual]} tools that ${DOES[call.access]}`,
    suggestion: usual === "deny" ? null : suggestion,
  };
}

const FILE_TOOLS: ReadonlySet<string> = new Set(["read_file", "write_file", "edit_file"]);

const DOES: Readonly<Record<Access, string>> = {
  read: "read",
  write: "write files",
  exec: "run programs",
  team: "talk to the team",
};

const hasPath = ({ tool, access }: PermissionRequest): boolean =>
  (access === "read" || access === "write") && !tool.startsWith("mcp__");

function fits(rule: Rule, call: PermissionRequest): boolean {
  if (rule.match === undefined) return true;
  return hasPath(call)
    ? fitsPath(rule, call.subject, call.workspace, call.home)
    : fitsText(rule, call.subject);
}

/** The protected name in the path that the call writes, as it is written or where its links lead, unless a rule names it. */
function protectedBy(rules: readonly Rule[], call: PermissionRequest): string | null {
  if (call.access !== "write" || !hasPath(call)) return null;
  const { subject, workspace, disk } = call;
  const part =
    protectedPart(resolvePath(workspace, subject), workspace) ??
    protectedPart(physical(subject, workspace, disk), disk?.real(workspace) ?? workspace);
  return part !== null && rules.some((rule) => namesProtected(rule, part) && fits(rule, call)) ? null : part;
}

/** The rule for exactly this file or this subject. Of a server's tool the subject is a part of the input, so its rule is for all calls. */
function suggest({ tool, subject }: PermissionRequest): string | null {
  if (subject === "" || tool.startsWith("mcp__")) return tool;
  return subject.length > 500 || /[*?[\]{}\\()\n]/.test(subject) ? null : `${tool}(${subject})`;
}
