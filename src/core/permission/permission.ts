/**
 * May this call run? Pure: rules, a mode and a call in, a decision out. Deny rules beat everything; then the first rule that fits;
 * then the mode's default. Shell lines are judged by the commands in them (`shell-line.ts`), never by their text.
 */
import { escapedPath } from "../paths/path-pattern.ts";
import { resolvePath } from "../paths/paths.ts";
import { physical } from "../shell/places.ts";
import { denialFor, fileDenials, type Use } from "./file-denials.ts";
import {
  type Access,
  type Decision,
  MODE_DEFAULTS,
  type Mode,
  type PermissionRequest,
  says,
  VERBS,
  type Verdict,
} from "./mode.ts";
import { namesProtected, protectedPart } from "./protected.ts";
import { concerns, fitsPath, fitsText, isAbout, type Rule } from "./rule.ts";

export { closedPatterns, denialFor, fileDenials } from "./file-denials.ts";
export type { Access, Decision, Mode, PermissionRequest } from "./mode.ts";
export { parseRule, type Rule, rulesOf, showRule } from "./rule.ts";

export async function decide(rules: readonly Rule[], mode: Mode, call: PermissionRequest): Promise<Decision> {
  const { line } = call;
  if (line === undefined) return decideTool(rules, mode, call);
  const { judgeShell } = await import("./shell-line.ts");
  return judgeShell(
    rules.filter((rule) => isOf(rule, call)),
    rules,
    mode,
    { ...call, subject: line },
  );
}

/** A rule that refuses or asks also holds for every other tool with the same use; one that allows holds for its own tool alone. */
const isOf = (rule: Rule, { tool, reads = [], writes = [], line }: PermissionRequest): boolean =>
  concerns(rule, tool) ||
  (rule.effect !== "allow" &&
    ((line !== undefined && isAbout(rule, "run")) ||
      (rule.match !== undefined &&
        ((reads.length > 0 && isAbout(rule, "read")) || (writes.length > 0 && isAbout(rule, "write"))))));

/** A call that runs no shell line. */
function decideTool(rules: readonly Rule[], mode: Mode, call: PermissionRequest): Decision {
  const denied = rules.find((one) => one.effect === "deny" && fits(one, call)) ?? closing(rules, call);
  const part = protectedBy(rules, call);
  const rule =
    denied ?? rules.find((one) => (part === null || one.effect !== "allow") && fits(one, call)) ?? null;
  const usual = MODE_DEFAULTS[mode][call.access];
  const verdict: Verdict = rule
    ? says(rule)
    : part !== null && usual === "allow"
      ? { effect: "ask", rule, reason: `${part} decides what runs later` }
      : { effect: usual, rule, reason: `mode ${mode} ${VERBS[usual]} tools that ${DOES[call.access]}` };
  // The person sees one text of a protected file; a rule would allow every other one too.
  return { ...verdict, suggestion: verdict.effect === "deny" || part !== null ? null : suggest(call) };
}

/** The rule that closes a file of the call, also by another name of it. */
function closing(rules: readonly Rule[], call: PermissionRequest): Rule | undefined {
  const of = (use: Use, paths: readonly string[] = []): (Rule | undefined)[] =>
    paths.map((path) => denialFor(fileDenials(rules, use), path, call));
  return [...of("read", call.reads), ...of("write", call.writes)].find((rule) => rule !== undefined);
}

const DOES: Readonly<Record<Access, string>> = {
  read: "read",
  write: "write files",
  exec: "run programs",
  team: "talk to the team",
};

/** Whether a rule is about the call: one that allows must cover every file of it, any other one needs only to meet one. */
function fits(rule: Rule, call: PermissionRequest): boolean {
  const { tool, subject, reads = [], writes = [], workspace, home } = call;
  const isOwn = concerns(rule, tool);
  if (rule.match === undefined) return isOwn;
  if (isOwn && reads.length + writes.length === 0) return fitsText(rule, subject);
  const isMet = (path: string): boolean => fitsPath(rule, path, workspace, home);
  if (rule.effect === "allow") return isOwn && [...reads, ...writes].every(isMet);
  return isOwn
    ? [subject, ...reads, ...writes].some(isMet)
    : (isAbout(rule, "read") && reads.some(isMet)) || (isAbout(rule, "write") && writes.some(isMet));
}

/** The protected name in a path that the call writes, as it is written or where its links lead, unless a rule names it. */
function protectedBy(rules: readonly Rule[], call: PermissionRequest): string | null {
  const { workspace, disk, writes = [] } = call;
  for (const path of writes) {
    const part =
      protectedPart(resolvePath(workspace, path), workspace) ??
      protectedPart(physical(path, workspace, disk), disk?.real(workspace) ?? workspace);
    if (part !== null && !rules.some((rule) => namesProtected(rule, part) && fits(rule, call))) return part;
  }
  return null;
}

/** Whether the round brackets of a text do not confuse those of a rule. */
const isClosed = (text: string): boolean => !/[()]/.test(text.replace(/\([^()]*\)/g, ""));

/** The rule for exactly this file or subject. The subject of a server's tool is only a part of its input, so its rule is for all calls. */
function suggest({ tool, subject, reads = [], writes = [] }: PermissionRequest): string | null {
  if (subject === "" || tool.startsWith("mcp__")) return tool;
  if (subject.length > 500 || subject.includes("\n") || subject !== subject.trim()) return null;
  const [path, ...others] = new Set([...reads, ...writes]);
  if (path !== undefined)
    return others.length === 0 && isClosed(path) ? `${tool}(${escapedPath(path)})` : null;
  return subject.includes("*") ? null : `${tool}(${subject})`;
}
