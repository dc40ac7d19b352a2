/**
 * The hosts that members may read pages from: those that a `network` rule lists. The person is asked about others, but never about an
 * address of this machine or of a private network. A deny beats everything, and a no holds until the process ends.
 */
import { isIP } from "node:net";
import { notPermitted } from "../core/errors.ts";
import { LEAD } from "../core/ids.ts";
import type { Mode } from "../core/permission/mode.ts";
import { hostAllowed, hostsOf } from "../core/sandbox/sandbox.ts";
import type { ToolContext } from "../ports/index.ts";
import type { HostVerdict, JudgeHost } from "../ports/web.ts";
import type { Parts } from "./parts.ts";
import type { PermissionQuestions } from "./permission/permission-questions.ts";
import { hostOpened, isYes } from "./permission/ways-out.ts";

type HostParts = {
  readonly settings: Pick<Parts["settings"], "allow" | "ask" | "deny" | "permissionsTo">;
  readonly sandbox: Pick<Parts["sandbox"], "allowHosts">;
};

export class WebHosts {
  /** The person's lasting answers, in this process. */
  private readonly answers = new Map<string, boolean>();
  private readonly parts: HostParts;
  private readonly questions: Pick<PermissionQuestions, "put">;
  private readonly mode: () => Mode;

  constructor(parts: HostParts, questions: Pick<PermissionQuestions, "put">, mode: () => Mode) {
    this.parts = parts;
    this.questions = questions;
    this.mode = mode;
  }

  /** `subject`: the call's address, which the person sees. */
  judgeFor =
    (ctx: ToolContext, subject: string): JudgeHost =>
    (url) =>
      this.judge(url, ctx, subject);

  private async judge(url: URL, ctx: ToolContext, subject: string): Promise<HostVerdict> {
    const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    const { allow, ask, deny, permissionsTo } = this.parts.settings;
    const rule = `network(${port === 80 || port === 443 ? host : `${host}:${port}`})`;
    const no = (why: string): never => {
      throw notPermitted(`Not permitted: ${url.host}: ${why}.`);
    };
    const named = (rules: readonly string[]): boolean =>
      hostsOf(rules).some(
        (one) => one === "*" || hostAllowed(host, port, [one]) || hostAllowed(host, 443, [one]),
      );
    if (named(deny)) no("a deny rule for the network says so");
    const isNumber = isIP(host) !== 0;
    const mayBePrivate =
      (isNumber || host === "localhost") &&
      hostsOf(allow).some((one) => !one.startsWith("*") && hostAllowed(host, port, [one]));
    const isOpen = hostsOf(allow).some((one) => one === "*" || hostAllowed(host, port, [one]));
    if (isOpen && !named(ask)) return { mayBePrivate };
    if (this.mode() === "bypass" && !named(ask)) return { mayBePrivate };
    const known = this.answers.get(rule);
    if (known === true) return { mayBePrivate };
    if (known === false) no("the person said no to this host");
    const how = `It would be allowed by --allow '${rule}'`;
    if (permissionsTo === "lead" && ctx.self !== LEAD) no(`only the person opens hosts. ${how}`);
    const reason =
      subject === url.href
        ? `it reads a page of the host ${host}`
        : `the page is at ${url.href}, on the host ${host}`;
    const asked = {
      who: ctx.self,
      tool: "a read of the page",
      subject: url.href,
      reason,
      rule,
    };
    const answer = await this.questions.put(asked, ctx);
    if (answer === null) return no(`nobody is there to be asked. ${how}`);
    if (answer.state === "expired") return no(`nobody answered in time. ${how}`);
    const { text } = answer;
    if (!isYes(answer)) {
      this.answers.set(rule, false);
      return no(`the person said no${text ? `: ${text}` : ""}`);
    }
    if (answer.always === true) {
      this.answers.set(rule, true);
      this.parts.sandbox.allowHosts([hostOpened(answer.rule ?? rule, host)]);
    }
    return { mayBePrivate };
  }
}
