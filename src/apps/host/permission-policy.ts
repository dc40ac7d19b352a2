/**
 * Decides whether a call may run, by the person's rules and the mode. A question goes to the person, but not about commands that
 * the person wrote down to be run. If nobody can be asked, the call is refused, with the rule that would allow it.
 */

import { homedir } from "node:os";
import { cutEnd } from "../../core/conversation/valid.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { lazy } from "../../core/lazy.ts";
import type { Mode } from "../../core/permission/mode.ts";
import {
  decide,
  denialFor,
  fileDenials,
  type PermissionRequest,
  parseRule,
  type Rule,
  showRule,
} from "../../core/permission/permission.ts";
import { scriptsIn } from "../../core/project/fences.ts";
import { startAnew } from "../../core/worktree.ts";
import type { Store, Worktrees } from "../../ports/index.ts";
import type { Call, PermissionPolicy, Verdict } from "../../runtime/agent/call.ts";
import { storeUrl } from "../open.ts";
import { Provenance } from "../trust/provenance.ts";
import { disk } from "./disk.ts";
import type { Parts } from "./parts.ts";
import type { PermissionQuestions } from "./permission-questions.ts";
import { sandboxedShell } from "./sandboxed-shell.ts";

/** @throws EkidenError `bad_input` for a rule that cannot be read. */
export function permissionPolicy(
  {
    store,
    settings,
    trees,
    sandbox,
    secrets,
    userFolder,
    workspace,
  }: Pick<Parts, "store" | "settings" | "trees" | "sandbox" | "secrets" | "userFolder" | "workspace">,
  questions: PermissionQuestions,
  mode: () => Mode = () => settings.permissionMode,
): PermissionPolicy {
  const provenance = new Provenance(userFolder);
  const board = { store: storeUrl(settings, workspace), team: store.team };
  const isSigned = (text: string): boolean => provenance.isSigned(board, text);
  const isActive = lazy(async () => (await sandbox.status()).active);
  /** Command lines that the person was asked about already. */
  const asked = new Set<string>();
  const rules: Rule[] = [
    ...settings.deny.map((text) => parseRule("deny", text)),
    // Members change tasks by their tools, whose rules a file would pass by.
    ...(settings.sync === undefined ? [] : [parseRule("deny", `write_file(${settings.sync}/**)`)]),
    ...settings.ask.map((text) => parseRule("ask", text)),
    ...settings.allow.map((text) => parseRule("allow", text)),
  ];
  const shut = { read: fileDenials(rules, "read"), write: fileDenials(rules, "write") };
  const home = homedir();
  const allow = (text: string): void => {
    const added = parseRule("allow", text);
    const isKnown = rules.some((one) => one.effect === "allow" && showRule(one) === showRule(added));
    if (!isKnown) rules.push(added);
  };
  const outside = async (command: string, denial: string, { ctx }: Call): Promise<boolean> => {
    if (settings.sandbox === "required" || settings.permissionsTo === "lead" || asked.has(command))
      return false;
    asked.add(command);
    const reason = denial.replace(/^\[sandbox: |\]$/g, "");
    const question = {
      who: ctx.self,
      tool: "bash outside the sandbox, once",
      subject: command,
      reason,
      rule: null,
    };
    const answer = await questions.put(question, ctx);
    return answer?.yes === true && answer.by === PERSON;
  };
  return async (call): Promise<Verdict> => {
    const { tool, ctx, input, access } = call;
    const subject = tool.subject?.(input) ?? "";
    const attempt: PermissionRequest = {
      tool: tool.name,
      access,
      subject,
      workspace: ctx.workspace,
      home,
      readable: ctx.readable,
      disk,
      confined: tool.name === "bash" && (await isActive()),
    };
    const closed =
      shut.read.length + shut.write.length === 0
        ? undefined
        : (use: "read" | "write", path: string): string | null => {
            const rule = denialFor(shut[use], path, attempt);
            return rule ? `the rule deny ${showRule(rule)} says so` : null;
          };
    const { effect, reason, suggestion, rule, readOnly } = await decide(rules, mode(), attempt);
    const allowed: Verdict = {
      allowed: true,
      closed,
      shell: attempt.confined
        ? sandboxedShell({
            readOnly: readOnly ? "reads" : mode() === "plan" ? "plan" : null,
            outside: (command, denial) => outside(command, denial, call),
          })
        : undefined,
    };
    const permitted = (): Verdict => {
      if (access === "write") sandbox.accept(ctx.workspace, subject);
      return allowed;
    };
    if (effect === "allow") return permitted();
    const named = `${tool.name}${subject ? ` (${short(subject)})` : ""}`;
    if (effect === "deny")
      return {
        allowed: false,
        reason: `Not permitted: ${named}: ${reason}. Do it another way, or say what you need.`,
      };
    if (rule === null && (await writtenByPerson(store, trees, call, isSigned))) return allowed;
    const how = suggestion === null ? "" : ` It would be allowed by --allow '${suggestion}'.`;
    const change = await tool.preview?.(input, closed ? { ...ctx, closed } : ctx);
    const diff = change && secrets.redact(await (await import("./shown-change.ts")).shownChange(change));
    const answer = await questions.put(
      { who: ctx.self, tool: tool.name, subject, diff, reason, rule: suggestion },
      ctx,
    );
    const refused = (why: string): Verdict => ({ allowed: false, reason: why });
    if (answer === null)
      return refused(`Not permitted: ${named}: ${reason}, and nobody is there to be asked.${how}`);
    if (answer.state === "expired")
      return refused(`Not permitted: nobody answered in time whether you may run ${named}.${how}`);
    if (answer.yes) {
      if (answer.always && answer.by === PERSON && suggestion !== null) allow(suggestion);
      return permitted();
    }
    const who = answer.by === LEAD ? "The lead" : "The person";
    return refused(
      `${who} said no to ${named}${answer.text ? `: ${answer.text.replace(/[.\s]+$/, "")}.` : "."} Do it another way, or ask what they want.`,
    );
  };
}

const short = (text: string): string => (text.length > 200 ? `${cutEnd(text, 199)}…` : text);

/**
 * The commands that the person wrote into the task that the caller has in hand (a runbook's blocks) are what the person asked to
 * be run, and run anew in the task's own worktree. Not so once anybody else has changed the description, and not where no
 * process of this person has put it on this board: a shipped store or an import names the person as the author, too.
 */
async function writtenByPerson(
  store: Store,
  trees: Worktrees | null,
  { tool, input, ctx }: Call,
  isSigned: (text: string) => boolean,
): Promise<boolean> {
  if (tool.name !== "bash") return false;
  const task = await store.board.mine(ctx.self);
  if (!task || task.describedBy !== PERSON || !isSigned(task.description)) return false;
  const { command } = input as { readonly command: string };
  const scripts = scriptsIn(task.description);
  const anew = scripts.length > 0 && trees !== null && command === startAnew(trees.onto);
  return anew || scripts.some((script) => script.text === command);
}
