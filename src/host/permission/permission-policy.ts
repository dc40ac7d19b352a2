/**
 * Decides whether a call may run, by the person's rules and the mode. A question goes to the person, but not about commands that
 * the person wrote down to be run. If nobody can be asked, the call is refused, with the rule that would allow it.
 */

import { homedir } from "node:os";
import { startAnew } from "../../core/board/worktree.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { lazy } from "../../core/lazy.ts";
import { resolvePath } from "../../core/paths/paths.ts";
import type { Mode } from "../../core/permission/mode.ts";
import {
  type Decision,
  decide,
  denialFor,
  fileDenials,
  type PermissionRequest,
  parseRule,
  rulesOf,
  showRule,
} from "../../core/permission/permission.ts";
import { BLOCK_CALL, scriptsIn } from "../../core/project/fences.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { Store, Worktrees } from "../../ports/index.ts";
import { storeUrl } from "../../project/store-address.ts";
import { Provenance } from "../../project/trust/provenance.ts";
import type { Call, PermissionPolicy, Verdict } from "../../runtime/agent/call.ts";
import type { Parts } from "../parts.ts";
import { sandboxedShell } from "../sandboxed-shell.ts";
import { disk } from "./disk.ts";
import { openedBy } from "./opened.ts";
import type { PermissionQuestions } from "./permission-questions.ts";
import { isYes, type Opening, WaysOut, wayFor } from "./ways-out.ts";

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
  const rules = rulesOf(settings);
  const shut = { read: fileDenials(rules, "read"), write: fileDenials(rules, "write") };
  const home = homedir();
  let allowed = 0;
  const allow = (text: string): void => {
    allowed += 1;
    const added = parseRule("allow", text);
    const isKnown = rules.some((one) => one.effect === "allow" && showRule(one) === showRule(added));
    if (!isKnown) rules.push(added);
  };
  const ways = new WaysOut({ settings, sandbox }, questions);
  return async (call): Promise<Verdict> => {
    const { tool, ctx, input, access } = call;
    const subject = tool.subject?.(input) ?? "";
    const isConfined = tool.line !== undefined && !tool.elsewhere && (await isActive());
    const attempt: PermissionRequest = {
      tool: tool.name,
      access,
      subject,
      ...usesOf(call, subject),
      workspace: ctx.workspace,
      home,
      readable: ctx.readable,
      disk,
      confined: isConfined && settings.confinedCommands === "run",
    };
    const repeated = ways.repeated(attempt.line, ctx.self);
    const closed =
      shut.read.length + shut.write.length === 0
        ? undefined
        : (use: "read" | "write", path: string): string | null => {
            const rule = denialFor(shut[use], path, attempt);
            return rule ? `the rule deny ${showRule(rule)} says so` : null;
          };
    const inHand = lazy(() => blockInHand(store, trees, call, isSigned));
    const judge = async (): Promise<Decision> => {
      const judged = await decide(rules, mode(), attempt);
      const isUnasked =
        attempt.confined && judged.effect === "allow" && !judged.readOnly && repeated === null;
      if (!isUnasked || (await inHand()) !== "brought") return judged;
      // The embedded model runs such a block as it is: nobody has looked at it.
      const asked = await decide(rules, mode(), { ...attempt, confined: false });
      return asked.effect === "ask" ? { ...asked, reason: BROUGHT } : asked;
    };
    const { effect, reason, suggestion, rule, readOnly, outside, written } = await judge();
    const allowing = (opening: Opening = {}): Verdict => ({
      allowed: true,
      closed,
      shell: isConfined
        ? sandboxedShell({
            readOnly: readOnly ? "reads" : mode() === "plan" ? "plan" : null,
            writable: [...openedBy(rules, "write"), ...(opening.writable ?? [])],
            readable: [...openedBy(rules, "read"), ...(opening.readable ?? [])],
            unconfined: opening.unconfined === true,
            mayReach: (host) => ways.mayReach(host, { tool: tool.name, subject, ctx }),
            stopped: (command, denial) => ways.stopped(command, denial, ctx),
          })
        : undefined,
    });
    const permitted = (opening?: Opening): Verdict => {
      for (const path of attempt.writes ?? []) {
        sandbox.accept(ctx.workspace, path);
        trees?.accept(resolvePath(ctx.workspace, path));
      }
      return allowing(opening);
    };
    if (effect === "allow" && (repeated === null || readOnly)) return permitted();
    const named = `${tool.name}${subject ? ` (${short(subject)})` : ""}`;
    if (effect === "deny")
      return {
        allowed: false,
        reason: `Not permitted: ${named}: ${reason}. Do it another way, or say what you need.`,
      };
    const way = wayFor(
      { tool: tool.name, reason, rule: suggestion },
      effect === "allow" ? repeated : null,
      outside,
      { written, workspace: ctx.workspace, required: settings.sandbox === "required" },
    );
    // The text may be a file of the repository, so nothing outside is opened for it without a rule.
    if (effect === "ask" && rule === null && !way.opening.unconfined && (await inHand()) === "own")
      return allowing();
    if (way.refused !== null) return { allowed: false, reason: `Not permitted: ${named}: ${way.refused}.` };
    const how = way.rule === null ? "" : ` It would be allowed by --allow '${way.rule}'.`;
    const change = await tool.preview?.(input, closed ? { ...ctx, closed } : ctx);
    const diff = change && secrets.redact(await (await import("./shown-change.ts")).shownChange(change));
    let [judged, looked] = [`${allowed} ${mode()}`, mode()];
    // Only for a question that a rule or the mode alone can answer.
    const isAllowedNow = async (): Promise<boolean> => {
      const now = mode();
      // One that is only passed on the way to another mode answers nothing.
      const isPassed = now !== looked;
      looked = now;
      if (isPassed || judged === `${allowed} ${now}` || effect === "allow") return false;
      if (Object.keys(way.opening).length > 0) return false;
      judged = `${allowed} ${now}`;
      return (await judge()).effect === "allow";
    };
    const answer = await questions.put(
      { who: ctx.self, tool: way.tool, subject, diff, reason: way.reason, rule: way.rule },
      ctx,
      isAllowedNow,
    );
    const refused = (why: string): Verdict => ({ allowed: false, reason: why });
    if (effect === "allow" && !answer?.by) return permitted();
    if (answer === null)
      return refused(`Not permitted: ${named}: ${reason}, and nobody is there to be asked.${how}`);
    if (answer.state === "expired")
      return refused(`Not permitted: nobody answered in time whether you may run ${named}.${how}`);
    if (answer.yes) {
      if (answer.always && answer.by === PERSON && way.rule !== null) allow(answer.rule ?? way.rule);
      return permitted(isYes(answer) ? way.opening : {});
    }
    const who = answer.by === LEAD ? "The lead" : "The person";
    return refused(
      `${who} said no to ${named}${answer.text ? `: ${answer.text.replace(/[.\s]+$/, "")}.` : "."} Do it another way, or ask what they want.`,
    );
  };
}

/** The uses that the tool declares. A tool that may write and declares no file is taken to write the one that its subject names. */
function usesOf(
  { tool, input }: Call,
  subject: string,
): Pick<PermissionRequest, "reads" | "writes" | "line"> {
  const line = tool.line?.(input);
  const isSilent = line === undefined && !tool.reads && !tool.writes && subject !== "";
  const unsaid = isSilent && (tool.access === "read" || tool.access === "write") ? [subject] : [];
  return {
    reads: tool.reads?.(input) ?? unsaid,
    writes: tool.writes?.(input) ?? (tool.access === "write" ? unsaid : []),
    line,
  };
}

const short = (text: string): string => (text.length > 200 ? `${cutEnd(text, 199)}…` : text);

const BROUGHT = "its task has blocks that are not the person's own words";

/**
 * Whether the call runs a block of the task that the caller has in hand, and whose it is. "own": the person wrote it, so the person
 * asked for it to be run, and to be run again in the task's own worktree. This ends once anybody else has changed the description, and
 * needs a process of this person that put it on this board: a shipped store or an import names the person as the author, too.
 * "brought": the embedded model runs such a foreign block. A model that chose the line itself is judged as with any other line.
 */
async function blockInHand(
  store: Store,
  trees: Worktrees | null,
  { tool, input, ctx, call }: Call,
  isSigned: (text: string) => boolean,
): Promise<"own" | "brought" | null> {
  const command = tool.line?.(input);
  if (command === undefined) return null;
  const task = await store.board.mine(ctx.self);
  if (!task) return null;
  const scripts = scriptsIn(task.description);
  const anew = scripts.length > 0 && trees !== null && command === startAnew(trees.onto);
  if (!anew && !scripts.some((script) => script.text === command)) return null;
  if (task.describedBy === PERSON && isSigned(task.description)) return "own";
  return call.id.startsWith(BLOCK_CALL) ? "brought" : null;
}
