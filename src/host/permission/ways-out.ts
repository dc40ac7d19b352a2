/**
 * The ways out of the sandbox, as the person opens them: a host that a command was refused, a path outside, or one run without the
 * sandbox. Only the person may say yes, and a no to a host holds until the process ends.
 */
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { LEAD, type Name, PERSON } from "../../core/ids.ts";
import { escapedPath } from "../../core/paths/path-pattern.ts";
import { isWithin } from "../../core/paths/paths.ts";
import type { Decision } from "../../core/permission/permission.ts";
import { hostWanted } from "../../core/sandbox/denial.ts";
import { networkOf, UNIX_SOCKETS } from "../../core/sandbox/sandbox.ts";
import { RULE_NAMES } from "../../core/tool-names.ts";
import type { ToolContext } from "../../ports/index.ts";
import type { Parts } from "../parts.ts";
import type { Given, PermissionQuestions } from "./permission-questions.ts";

type WaysOutParts = Pick<Parts, "settings" | "sandbox">;

/** The call that wants out. */
type Caller = { readonly tool: string; readonly subject: string; readonly ctx: ToolContext };

export class WaysOut {
  private readonly parts: WaysOutParts;
  private readonly questions: PermissionQuestions;
  /** The person's answers about hosts; each is kept while it is asked, so that two commands ask once. */
  private readonly hosts = new Map<string, Promise<"once" | "always" | "no">>();
  /** By member: the line that the sandbox stopped, and why, until the member calls something else. */
  private readonly stoppedLines = new Map<Name, { readonly line: string; readonly denial: string }>();

  constructor(parts: WaysOutParts, questions: PermissionQuestions) {
    this.parts = parts;
    this.questions = questions;
  }

  /** Whether a command may reach this host. It has failed without it. */
  async mayReach(host: string, call: Caller): Promise<boolean> {
    const { ctx } = call;
    const { permissionsTo, deny } = this.parts.settings;
    if (networkOf([`network(${host})`], deny) === "off") return false;
    if (permissionsTo === "lead" && ctx.self !== LEAD) return false;
    const known = await this.hosts.get(host);
    if (known !== undefined && known !== "once") return known === "always";
    const asking = this.askForHost(host, call);
    this.hosts.set(host, asking);
    asking.catch(() => this.hosts.delete(host)); // interrupted: asked again
    return (await asking) !== "no";
  }

  private async askForHost(host: string, { tool, subject, ctx }: Caller): Promise<"once" | "always" | "no"> {
    const rule = `network(${host})`;
    const answer = await this.questions.put(
      {
        who: ctx.self,
        tool,
        subject,
        reason: reasonFor(host),
        rule,
      },
      ctx,
    );
    if (!isYes(answer)) return "no";
    if (answer.always !== true) return "once";
    this.parts.sandbox.allowHosts([hostOpened(answer.rule ?? rule, host)]);
    return "always";
  }

  /** Notes what stopped a command. Returns the note with what the member can do. */
  stopped(line: string, denial: string, ctx: ToolContext): string {
    const { sandbox, permissionsTo } = this.parts.settings;
    const mayAsk = sandbox !== "required" && permissionsTo !== "lead" && permissionsTo !== "nobody";
    if (!mayAsk || hostWanted(denial) !== null) return denial;
    this.stoppedLines.set(ctx.self, { line, denial });
    return denial.replace(
      /\]$/,
      ". If it must, call it again unchanged: then the person is asked to run it once outside the sandbox]",
    );
  }

  /** The denial of the member's latest call, if this line is called again at once. */
  repeated(line: string | undefined, member: Name): string | null {
    const last = this.stoppedLines.get(member);
    this.stoppedLines.delete(member);
    return line !== undefined && last?.line === line ? last.denial.replace(/^\[sandbox: |\]$/g, "") : null;
  }
}

const reasonFor = (host: string): string =>
  host === UNIX_SOCKETS
    ? "it uses a Unix socket, which the sandbox refused; with yes it runs again, once, and reaches the sockets of every program of this machine that your user may use"
    : `it needs the host ${host}, which the sandbox refused; with yes it runs again and reaches this host, once`;

/** The person's yes: no member answers for the machine. */
export const isYes = (answer: Given | null): answer is Given => answer?.yes === true && answer.by === PERSON;

/** The host of a rule that the person may have made wider: `*.example.com`. */
export const hostOpened = (rule: string, asked: string): string =>
  /^network\((.+)\)$/.exec(rule)?.[1] ?? asked;

/** The exception that a yes makes for one command. */
export type Opening = {
  readonly writable?: readonly string[];
  readonly readable?: readonly string[];
  readonly unconfined?: boolean;
};
type Asked = { readonly tool: string; readonly reason: string; readonly rule: string | null };

/**
 * The question about a call, and what a yes to it opens. `repeated`: what stopped the same line before. `outside`: see `Decision`.
 * `refused`: why nobody is asked.
 */
export function wayFor(
  asked: Asked,
  repeated: string | null,
  outside: readonly string[] | null | undefined,
  {
    written = [],
    workspace,
    required,
  }: Pick<Decision, "written"> & { readonly workspace: string; readonly required: boolean },
): Asked & { readonly opening: Opening; readonly refused: string | null } {
  if (repeated === null && outside === undefined) return { ...asked, opening: {}, refused: null };
  const isOpenable = outside && repeated === null;
  const writable = isOpenable ? openable(written, workspace) : null;
  const readable = isOpenable
    ? openable(
        outside.filter((one) => !written.includes(one)),
        workspace,
      )
    : null;
  if (writable !== null && readable !== null) {
    const [path = "", ...others] = [...writable, ...readable];
    const uses = [
      ...(readable.length > 0 ? [`read ${readable.join(" and ")}`] : []),
      ...(writable.length > 0 ? [`read and write ${writable.join(" and ")}`] : []),
    ];
    return {
      tool: asked.tool,
      reason: `${asked.reason}; with yes it may ${uses.join(", and ")}`,
      rule: others.length === 0 ? ruleFor(path, writable.length > 0 ? "write" : "read") : null,
      ...{ opening: { writable, readable }, refused: null },
    };
  }
  const reason = repeated ?? asked.reason;
  return {
    ...{ tool: `${asked.tool} outside the sandbox, once`, reason, rule: null, opening: { unconfined: true } },
    refused: required ? `${reason}, and the sandbox is required, so no command may` : null,
  };
}

/** The paths that the sandbox must open: for a new file its folder. Null where that holds the home folder or the workspace. */
function openable(paths: readonly string[], workspace: string): readonly string[] | null {
  const found = [...new Set(paths.map((path) => (existsSync(path) ? path : dirname(path))))];
  const isFit = (path: string): boolean =>
    existsSync(path) && ![homedir(), workspace].some((one) => isWithin(path, one));
  return found.every(isFit) ? found : null;
}

/** The rule that would allow using a path; null where it could not be read as people type it. */
function ruleFor(path: string, use: "read" | "write"): string | null {
  if (/[()\n]/.test(path)) return null;
  return `${RULE_NAMES[use][0]}(${escapedPath(path)}${statSync(path).isDirectory() ? "/**" : ""})`;
}
