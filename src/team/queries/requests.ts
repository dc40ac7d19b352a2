/** The open requests: plans, permissions, stops. Views: core/views/request.ts. */
import { systemClock } from "../../adapters/clock.ts";
import type { QuestionData, QuestionsData } from "../../core/views/request.ts";
import type { Request, Store } from "../../ports/index.ts";

export async function requests({ team, requests }: Store): Promise<QuestionsData> {
  return { team, requests: (await requests.open()).map(questionData) };
}

function questionData({ id, ask, by, of, at, deadline }: Request): QuestionData {
  const leftMs = Math.max(0, deadline - systemClock.now());
  const shared = { id, kind: ask.kind, by, of, at, deadline, leftMs, task: null, attempt: null } as const;
  switch (ask.kind) {
    case "plan":
      return { ...shared, task: ask.task, attempt: ask.attempt, text: ask.plan };
    case "permission":
      return {
        ...shared,
        text: `${ask.tool}: ${ask.subject}`,
        ...(ask.why && { why: ask.why }),
        ...(ask.diff !== undefined && { diff: ask.diff }),
        ...(ask.rule && { rule: ask.rule }),
      };
    case "question":
      return { ...shared, text: ask.question, options: ask.options };
    case "shutdown":
      return { ...shared, text: ask.reason };
  }
}
