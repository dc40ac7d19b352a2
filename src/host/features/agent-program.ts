/** A member whose model is an agent program: the calls that ask for it, and their results at once. */
import { LEAD, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import type { Feature } from "../../runtime/agent/agent.ts";
import { agentProgramTools } from "../../tools/agent-program.ts";
import type { HostedModel } from "../hosted/hosted-model.ts";

/**
 * The words of a task, and its blockers. A program that was killed in the middle of its plan, and continues with its session, may not know any
 * more what it has added.
 */
type Words = {
  readonly subject?: unknown;
  readonly description?: unknown;
  readonly blocked_by?: readonly number[];
};
const listed = (ids: readonly number[] = []): string => [...ids].sort().join();

/** A task that this member has added already since the person last spoke to it, with the same words. */
async function addedBefore({ board, mail }: Store, input: Words): Promise<number | null> {
  const [last] = await mail.box(LEAD, 1, PERSON);
  const since = last?.at ?? 0;
  const same = (await board.tasks()).find(
    ({ createdBy, createdAt, subject, description, blockedBy }) =>
      createdBy === LEAD &&
      createdAt >= since &&
      subject === input.subject &&
      // Lines such as "Review: yes" are put behind the words.
      description.startsWith(String(input.description ?? "").trim()) &&
      listed(blockedBy) === listed(input.blocked_by),
  );
  return same?.id ?? null;
}

export const agentProgram = (model: HostedModel): Feature => ({
  wrap: (next) => async (call) => {
    const { ctx, tool, input } = call;
    if (ctx.self !== LEAD || tool.effect !== "creates") return await next(call);
    const before = await addedBefore(ctx.store, input as Words);
    return before === null
      ? await next(call)
      : `#${before} has these words already, and is on the board. Nothing was added.`;
  },
  tools: () =>
    agentProgramTools({
      give: (nth, text) => model.requests.give(nth, text),
      endOf: (nth) => model.requests.endOf(nth),
    }),
  afterRound(round) {
    model.answered(round.flatMap((entry) => (entry.kind === "result" ? [entry.result] : [])));
    return null;
  },
  // Another member may get the task: the program does nothing more for it.
  beforeRelease: () => model.cancel(),
});
