/** Answers a request in the person's name, also one to a member: a plan, a permission, a stop. */

import { answerWord } from "../../core/board/answer.ts";
import { checkText } from "../../core/board/mail.ts";
import { meantAnswer, whyNoOption } from "../../core/board/question.ts";
import { badInput, notFound } from "../../core/errors.ts";
import { PERSON, quote, type RequestId } from "../../core/ids.ts";
import { coversCommand, fitsPath, fitsText, parseRule, showRule } from "../../core/permission/rule.ts";
import type { Request, Store } from "../../ports/index.ts";
import type { Done } from "./done.ts";

/**
 * `id` may be shortened to its first letters, if they fit one open request. `text` explains a no; behind an "always" or a "session" it may
 * be another rule than the one that was offered. @throws EkidenError `bad_input` | `not_found` | `answered`
 */
export async function answer(
  { requests }: Store,
  id: string,
  typed: string,
  text = "",
): Promise<Done<Request>> {
  const request = await find(requests, id);
  if (request.ask.kind === "question") return await answerQuestion(requests, request, `${typed} ${text}`);
  const word = answerWord(typed);
  const isRule = word === "always" || word === "session";
  if (word === null)
    throw badInput(
      `${quote(typed)} is not an answer. Write: ekiden answer ${request.id} yes, or: ekiden answer ${request.id} no "what to change".`,
    );
  const { ask } = request;
  const rule = ask.kind === "permission" ? ask.rule : undefined;
  if (isRule && rule === undefined)
    throw badInput("there is no rule that would always allow this. Answer yes or no.");
  const chosen =
    isRule && rule !== undefined && text.trim() !== "" ? chosenRule(text.trim(), rule) : undefined;
  const given = {
    yes: word !== "no",
    text: isRule ? "" : text,
    ...(isRule && {
      always: true,
      ...(chosen && { rule: chosen }),
      ...(word === "session" && { session: true }),
    }),
  };
  const answered = await requests.answer(PERSON, request.id, ask.kind, given);
  const more = rule !== undefined && (word === "all" || isRule) ? await answerAlike({ requests }, rule) : 0;
  return {
    data: answered,
    text: `${sentenceOf(answered)}${more > 0 ? `; ${more} more questions had the same rule` : ""}`,
  };
}

/** A rule that the person typed: for the same tool, and it covers at least what was asked. @throws EkidenError `bad_input` */
function chosenRule(text: string, offered: string): string {
  const [chosen, least] = [parseRule("allow", text), parseRule("allow", offered)];
  const asked = least.match ?? "";
  const words = asked.split(" ").map((word) => ({ text: word, exact: true }));
  const covers =
    chosen.tool === least.tool &&
    (chosen.match === undefined ||
      (least.match !== undefined &&
        (fitsText(chosen, asked) ||
          coversCommand(chosen, words) ||
          fitsPath(chosen, asked, "/", undefined))));
  if (covers) return showRule(chosen);
  throw badInput(
    `the rule ${quote(text)} does not cover what is asked about. Write one that is as wide as ${offered}, or wider.`,
  );
}

/** With an option, by its number or its label, or in own words. */
async function answerQuestion(
  requests: Store["requests"],
  { id, ask }: Request,
  typed: string,
): Promise<Done<Request>> {
  const why = ask.kind === "question" ? whyNoOption(ask, typed) : null;
  if (why !== null) throw badInput(why);
  const text = ask.kind === "question" ? meantAnswer(ask, typed) : null;
  if (text === null)
    throw badInput(
      `the answer is empty. Write the number of an option or your own words: ekiden answer ${id} 1`,
    );
  const data = await requests.answer(PERSON, id, "question", { yes: true, text: checkText(text) });
  return { data, text: sentenceOf(data) };
}

/** Answers yes to all open permission questions whose rule is this one. Returns how many. */
export async function answerAlike({ requests }: Pick<Store, "requests">, rule: string): Promise<number> {
  const alike = (await requests.open({ kind: "permission" })).filter(
    ({ ask }) => ask.kind === "permission" && ask.rule === rule,
  );
  let answered = 0;
  for (const { id } of alike) {
    // One that was answered elsewhere at the same time is settled, too.
    const done = await requests.answer(PERSON, id, "permission", { yes: true, text: "" }).catch(() => null);
    if (done) answered += 1;
  }
  return answered;
}

async function find(requests: Store["requests"], id: string): Promise<Request> {
  const open = await requests.open();
  const fitting = id === "" ? [] : open.filter((one) => one.id.startsWith(id));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  // The store refuses a closed request and says how it was answered.
  const known = id === "" ? null : await requests.request(id as RequestId);
  if (known) return known;
  const list = open.map((one) => `${one.id} (${one.ask.kind} of ${one.by})`).join(", ");
  throw notFound(
    `there is ${fitting.length > 1 ? "more than one" : "no"} open request ${quote(id)}. ${list ? `Open: ${list}.` : "No question waits for an answer."}`,
  );
}

function sentenceOf({ ask, by, answer }: Request): string {
  const yes = answer?.yes === true;
  switch (ask.kind) {
    case "plan":
      return `${yes ? "approved" : "rejected"} the plan of ${by} for #${ask.task}`;
    case "permission":
      return `${by} ${yes ? "may" : "may not"} run ${ask.tool}: ${ask.subject}${answer?.always ? `, and ${answer.session ? "until this team's process ends" : "from now on"} everything that ${answer.rule ?? ask.rule} allows` : ""}`;
    case "question":
      return `told ${by}: ${answer?.text}`;
    case "shutdown":
      return `answered ${by}`;
  }
}
