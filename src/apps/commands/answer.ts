/** `ekiden answer`: the person answers a plan or a permission question, whoever it was put to, from any terminal. */
import { EkidenError } from "../../core/errors.ts";
import { PERSON, quote, type RequestId } from "../../core/ids.ts";
import type { Request, Store } from "../../ports/index.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

export async function run(
  call: Invocation,
  [id = "", word = "", ...text]: readonly string[],
): Promise<undefined> {
  // Set for every command of a member: what it asks for it may not grant itself.
  if (call.env.EKIDEN_JOB)
    throw new EkidenError(
      "not_permitted",
      "this is a member's command, and only a person answers here. Leave the question to them.",
    );
  await withTeam(call, "look", async (store) => {
    const request = await answerRequest(store, id, word, text.join(" "));
    const { by, state, answer } = request;
    if (call.json)
      call.out.write(`${JSON.stringify({ id: request.id, kind: request.ask.kind, by, state, answer })}\n`);
    else call.say(answered(request));
  });
}

const YES = /^(?:y|yes|ok|approve|allow)$/i;
/** To a permission: writes the rule that would allow it into the project's settings. */
const ALWAYS = /^(?:a|always)$/i;
const NO = /^(?:n|no|reject|deny)$/i;

/** `id` may be left at its first letters, as long as they fit one open request. @throws EkidenError `bad_input` | `not_found` | `answered` */
export async function answerRequest(
  { requests }: Store,
  id: string,
  word: string,
  text: string,
): Promise<Request> {
  const request = await find(requests, id);
  if (![YES, NO, ALWAYS].some((one) => one.test(word)))
    throw new EkidenError(
      "bad_input",
      `${quote(word)} is no answer. Write: ekiden answer ${request.id} yes, or: ekiden answer ${request.id} no "what must be different".`,
    );
  const { ask } = request;
  if (ALWAYS.test(word) && (ask.kind !== "permission" || ask.rule === undefined))
    throw new EkidenError("bad_input", `there is no rule that would always allow this. Answer yes or no.`);
  const answer = { yes: !NO.test(word), text, ...(ALWAYS.test(word) && { always: true }) };
  return await requests.answer(PERSON, request.id, ask.kind, answer);
}

async function find(requests: Store["requests"], id: string): Promise<Request> {
  const open = await requests.open();
  const fitting = id === "" ? [] : open.filter((one) => one.id.startsWith(id));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const known = id === "" ? null : await requests.request(id as RequestId);
  if (known) return known; // closed: the store says what became of it
  const list = open.map((one) => `${one.id} (${one.ask.kind} of ${one.by})`).join(", ");
  throw new EkidenError(
    "not_found",
    `there is ${fitting.length > 1 ? "more than one" : "no"} open request ${quote(id)}. ${list ? `Open: ${list}.` : "Nobody waits for an answer."}`,
  );
}

export function answered({ ask, by, answer }: Request): string {
  const yes = answer?.yes === true;
  switch (ask.kind) {
    case "plan":
      return `${yes ? "approved" : "rejected"} the plan of ${by} for #${ask.task}`;
    case "permission":
      return `${by} ${yes ? "may" : "may not"} run ${ask.tool}: ${ask.subject}${answer?.always ? `, and from now on all that ${ask.rule} says` : ""}`;
    case "shutdown":
      return `answered ${by}`;
  }
}
