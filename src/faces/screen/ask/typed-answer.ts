/** Tells whether a typed line answers the question that is shown. */

import { readAnswer } from "../../../core/board/answer.ts";
import { meantAnswer } from "../../../core/board/question.ts";
import { LEAD, type Name } from "../../../core/ids.ts";
import type { Request } from "../../../ports/index.ts";

/** Null where the line is no answer: in the view of another member, own words are for that member. `isOwn`: no word that only answers. */
export function answerIn(
  text: string,
  request: Request | undefined,
  at: Name,
): { readonly word: string; readonly text: string; readonly isOwn: boolean } | null {
  if (request?.ask.kind !== "question") {
    const answer = request ? readAnswer(text) : null;
    return answer && { ...answer, isOwn: false };
  }
  const isOption = meantAnswer(request.ask, text) !== text.trim();
  const isHere = at === LEAD || at === request.by;
  return isOption || (isHere && !/^\s*[/!]/.test(text)) ? { word: text, text: "", isOwn: !isOption } : null;
}
