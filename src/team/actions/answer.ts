/** Answers a request in the person's name, also one to a member: a plan, a permission, a stop. */
import { EkidenError } from "../../core/errors.ts";
import { PERSON, quote, type RequestId } from "../../core/ids.ts";
import { checkText } from "../../core/mail.ts";
import { meantAnswer } from "../../core/question.ts";
import type { Request, Store } from "../../ports/index.ts";
import type { Done } from "./done.ts";

const YES = /^(?:y|yes|ok|approve|allow)$/i;
/** To a permission: also to all others that wait and have the same rule. */
const ALL = /^all$/i;
/** To a permission: writes the rule that would allow it into the project's settings, and settles all others that have it. */
const ALWAYS = /^(?:a|always)$/i;
const NO = /^(?:n|no|reject|deny)$/i;

/** `id` may be shortened to its first letters, if they fit one open request. `text` explains a no. @throws EkidenError `bad_input` | `not_found` | `answered` */
export async function answer(
  { requests }: Store,
  id: string,
  word: string,
  text = "",
): Promise<Done<Request>> {
  const request = await find(requests, id);
  if (request.ask.kind === "question") return await answerQuestion(requests, request, `${word} ${text}`);
  if (![YES, NO, ALL, ALWAYS].some((one) => one.test(word)))
    throw new EkidenError(
      "bad_input",
      `${quote(word)} is not an answer. Write: ekiden answer ${request.id} yes, or: ekiden answer ${request.id} no "what must be different".`,
    );
  const { ask } = request;
  const rule = ask.kind === "permission" ? ask.rule : undefined;
  if (ALWAYS.test(word) && rule === undefined)
    throw new EkidenError("bad_input", "there is no rule that would always allow this. Answer yes or no.");
  const given = { yes: !NO.test(word), text, ...(ALWAYS.test(word) && { always: true }) };
  const answered = await requests.answer(PERSON, request.id, ask.kind, given);
  const more =
    rule !== undefined && (ALL.test(word) || ALWAYS.test(word)) ? await answerAlike({ requests }, rule) : 0;
  return {
    data: answered,
    text: `${sentenceOf(answered)}${more > 0 ? `; ${more} more questions had the same rule` : ""}`,
  };
}

/** With an option, by its number or its label, or in own words. */
async function answerQuestion(
  requests: Store["requests"],
  { id, ask }: Request,
  typed: string,
): Promise<Done<Request>> {
  const text = ask.kind === "question" ? meantAnswer(ask, typed) : null;
  if (text === null)
    throw new EkidenError(
      "bad_input",
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
  throw new EkidenError(
    "not_found",
    `there is ${fitting.length > 1 ? "more than one" : "no"} open request ${quote(id)}. ${list ? `Open: ${list}.` : "Nobody waits for an answer."}`,
  );
}

function sentenceOf({ ask, by, answer }: Request): string {
  const yes = answer?.yes === true;
  switch (ask.kind) {
    case "plan":
      return `${yes ? "approved" : "rejected"} the plan of ${by} for #${ask.task}`;
    case "permission":
      return `${by} ${yes ? "may" : "may not"} run ${ask.tool}: ${ask.subject}${answer?.always ? `, and from now on everything that ${ask.rule} allows` : ""}`;
    case "question":
      return `told ${by}: ${answer?.text}`;
    case "shutdown":
      return `answered ${by}`;
  }
}
