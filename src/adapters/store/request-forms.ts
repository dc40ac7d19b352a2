/** The kinds of requests: what identifies one, and the mail and the facts that it becomes. */
import { createHash } from "node:crypto";
import { cutEnd } from "../../core/conversation/valid.ts";
import type { Fact } from "../../core/event.ts";
import type { Instant, Name, RequestId } from "../../core/ids.ts";
import type { Body } from "../../core/mail.ts";
import type { Answer, Ask, Request } from "../../ports/store.ts";

/** Identifies a question: the answer to one must never count for another. */
export function subjectOf(ask: Ask): string {
  switch (ask.kind) {
    case "shutdown":
      return "";
    case "plan":
      return `${ask.task} ${ask.attempt}`;
    case "question":
      return short(JSON.stringify([ask.question, ask.options]));
    case "permission":
      return short(`${ask.tool} ${ask.subject}${ask.diff === undefined ? "" : ` ${ask.diff}`}`);
  }
}

/** Commands may be longer than an index entry may be. */
const short = (text: string): string =>
  text.length <= 500 ? text : `${cutEnd(text, 400)} ${createHash("sha256").update(text).digest("hex")}`;

export function question(id: RequestId, ask: Ask, deadline: Instant): Body {
  switch (ask.kind) {
    case "shutdown":
      return { kind: "shutdown_request", request: id, reason: ask.reason, deadline };
    case "plan":
      return { kind: "plan_submission", request: id, task: ask.task, attempt: ask.attempt, plan: ask.plan };
    case "question":
      return { kind: "question", request: id, question: ask.question, options: ask.options };
    case "permission":
      return {
        kind: "permission_request",
        request: id,
        tool: ask.tool,
        subject: ask.subject,
        ...(ask.diff !== undefined && { diff: ask.diff }),
        deadline,
      };
  }
}

export function reply({ id, ask }: Request, { yes, text }: Answer): Body {
  switch (ask.kind) {
    case "shutdown":
      return { kind: "shutdown_response", request: id, accepted: yes, reason: text };
    case "plan":
      return {
        kind: "plan_response",
        request: id,
        task: ask.task,
        attempt: ask.attempt,
        approved: yes,
        feedback: text,
      };
    case "question":
      return { kind: "question_answer", request: id, question: ask.question, answer: yes ? text : null };
    case "permission":
      return { kind: "permission_response", request: id, allowed: yes, reason: text };
  }
}

export function asked(id: RequestId, ask: Ask, by: Name, of: Name): Fact {
  switch (ask.kind) {
    case "shutdown":
      return { type: "shutdown.asked", who: of, request: id, by, reason: ask.reason };
    case "plan":
      return { type: "plan.submitted", who: by, request: id, of, task: ask.task, attempt: ask.attempt };
    case "question":
      return { type: "question.asked", who: by, request: id, question: ask.question };
    case "permission":
      return { type: "permission.asked", who: by, request: id, of, tool: ask.tool, subject: ask.subject };
  }
}

export function answered({ id, ask, by, of }: Request, { yes, text }: Answer, from: Name): Fact {
  switch (ask.kind) {
    case "shutdown":
      return { type: "shutdown.answered", who: of, request: id, accepted: yes, reason: text };
    case "plan":
      return {
        type: "plan.answered",
        who: by,
        request: id,
        task: ask.task,
        attempt: ask.attempt,
        approved: yes,
        by: from,
      };
    case "question":
      return { type: "question.answered", who: by, request: id, answer: yes ? text : null, by: from };
    case "permission":
      return {
        type: "permission.answered",
        who: by,
        request: id,
        tool: ask.tool,
        subject: ask.subject,
        allowed: yes,
        by: from,
      };
  }
}
