/** The kinds of requests: what identifies one, and the mail and the facts that it becomes. A new kind does not compile without a row. */
import { createHash } from "node:crypto";
import type { Body } from "../../../core/board/mail.ts";
import type { Fact } from "../../../core/event.ts";
import type { Instant, Name, RequestId } from "../../../core/ids.ts";
import { cutEnd } from "../../../core/text/valid.ts";
import type { Answer, Ask, Request } from "../../../ports/store.ts";

type Asked<A> = { readonly id: RequestId; readonly ask: A; readonly by: Name; readonly of: Name };
type Form<A> = {
  /** Identifies a question: the answer to one must never count for another. */
  subject(ask: A): string;
  question(id: RequestId, ask: A, deadline: Instant): Body;
  reply(id: RequestId, ask: A, answer: Answer): Body;
  asked(request: Asked<A>): Fact;
  answered(request: Asked<A>, answer: Answer, from: Name): Fact;
};

/** Commands may be longer than an index entry may be. */
const short = (text: string): string =>
  text.length <= 500 ? text : `${cutEnd(text, 400)} ${createHash("sha256").update(text).digest("hex")}`;

const FORMS: { readonly [K in Ask["kind"]]: Form<Extract<Ask, { readonly kind: K }>> } = {
  shutdown: {
    subject: () => "",
    question: (request, { reason }, deadline) => ({ kind: "shutdown_request", request, reason, deadline }),
    reply: (request, _, { yes: accepted, text: reason }) => ({
      ...{ kind: "shutdown_response", request, accepted, reason },
    }),
    asked: ({ id: request, ask: { reason }, by, of: who }) => ({
      ...{ type: "shutdown.asked", who, request, by, reason },
    }),
    answered: ({ id: request, of: who }, { yes: accepted, text: reason }) => ({
      ...{ type: "shutdown.answered", who, request, accepted, reason },
    }),
  },
  plan: {
    subject: ({ task, attempt }) => `${task} ${attempt}`,
    question: (request, { task, attempt, plan }) => ({
      ...{ kind: "plan_submission", request, task, attempt, plan },
    }),
    reply: (request, { task, attempt }, { yes: approved, text: feedback }) => ({
      ...{ kind: "plan_response", request, task, attempt, approved, feedback },
    }),
    asked: ({ id: request, ask: { task, attempt }, by: who, of }) => ({
      ...{ type: "plan.submitted", who, request, of, task, attempt },
    }),
    answered: ({ id: request, ask: { task, attempt }, by: who }, { yes: approved }, by) => ({
      ...{ type: "plan.answered", who, request, task, attempt, approved, by },
    }),
  },
  question: {
    subject: ({ question, options }) => short(JSON.stringify([question, options])),
    question: (request, { question, options }) => ({ kind: "question", request, question, options }),
    reply: (request, { question }, { yes, text }) => ({
      ...{ kind: "question_answer", request, question, answer: yes ? text : null },
    }),
    asked: ({ id: request, ask: { question }, by: who }) => ({
      ...{ type: "question.asked", who, request, question },
    }),
    answered: ({ id: request, by: who }, { yes, text }, by) => ({
      ...{ type: "question.answered", who, request, answer: yes ? text : null, by },
    }),
  },
  permission: {
    subject: ({ tool, subject, diff }) => short(`${tool} ${subject}${diff === undefined ? "" : ` ${diff}`}`),
    question: (request, { tool, subject, diff }, deadline) => ({
      ...{ kind: "permission_request", request, tool, subject },
      ...(diff !== undefined && { diff }),
      deadline,
    }),
    reply: (request, _, { yes: allowed, text: reason }) => ({
      ...{ kind: "permission_response", request, allowed, reason },
    }),
    asked: ({ id: request, ask: { tool, subject }, by: who, of }) => ({
      ...{ type: "permission.asked", who, request, of, tool, subject },
    }),
    answered: ({ id: request, ask: { tool, subject }, by: who }, { yes: allowed }, by) => ({
      ...{ type: "permission.answered", who, request, tool, subject, allowed, by },
    }),
  },
};

/** The compiler cannot see that a form fits the kind by which it was found. */
const formOf = ({ kind }: Ask): Form<Ask> => FORMS[kind] as Form<Ask>;

export const subjectOf = (ask: Ask): string => formOf(ask).subject(ask);
export const question = (id: RequestId, ask: Ask, deadline: Instant): Body =>
  formOf(ask).question(id, ask, deadline);
export const reply = ({ id, ask }: Request, answer: Answer): Body => formOf(ask).reply(id, ask, answer);
export const asked = (id: RequestId, ask: Ask, by: Name, of: Name): Fact =>
  formOf(ask).asked({ id, ask, by, of });
export const answered = (request: Request, answer: Answer, from: Name): Fact =>
  formOf(request.ask).answered(request, answer, from);
