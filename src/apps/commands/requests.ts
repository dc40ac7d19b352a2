/** `ekiden requests`: the questions that are open, with the plans in full. */
import { systemClock } from "../../adapters/clock.ts";
import { type QuestionData, type QuestionsData, questionViews } from "../../core/views/request.ts";
import type { Request, Store } from "../../ports/index.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

export async function run(call: Invocation): Promise<undefined> {
  await withTeam(call, "look", async (store) => {
    const data = await readQuestions(store);
    await call.show(data, () => questionViews(data));
  });
}

export async function readQuestions({ team, requests }: Store): Promise<QuestionsData> {
  return { team, requests: (await requests.open()).map(questionData) };
}

function questionData({ id, ask, by, of, at, deadline }: Request): QuestionData {
  const leftMs = Math.max(0, deadline - systemClock.now());
  const common = { id, kind: ask.kind, by, of, at, deadline, leftMs, task: null, attempt: null } as const;
  switch (ask.kind) {
    case "plan":
      return { ...common, task: ask.task, attempt: ask.attempt, text: ask.plan };
    case "permission":
      return { ...common, text: `${ask.tool}: ${ask.subject}`, ...(ask.rule && { rule: ask.rule }) };
    case "shutdown":
      return { ...common, text: ask.reason };
  }
}
