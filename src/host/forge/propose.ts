/** A branch that was pushed becomes a request, or continues as one: with the evidence of its task, and with one answer for each question. */
import type { Claimed } from "../../core/board/task.ts";
import type { Sending, Tracked } from "../../core/forge/memory.ts";
import { answerTo, bodyOf, titleOf } from "../../core/forge/words.ts";
import type { TaskId } from "../../core/ids.ts";
import { SPENDING_FACTS, Spent } from "../../core/picture/spent.ts";
import { didWords } from "../../core/plan/check-did.ts";
import type { Landing, Store, ToolContext } from "../../ports/index.ts";

/** Null: there is nothing to propose, and the task is completed as any other. */
export async function propose(
  repo: string,
  ctx: ToolContext,
  task: Claimed,
  outcome: Extract<Landing, { kind: "proposed" | "nothing" }>,
  result: string,
): Promise<string | null> {
  const { store, seat } = ctx;
  const known = await store.forge.find(task.id);
  const isOpen = known !== null && known.number !== null && known.state !== "closed";
  if (outcome.kind === "nothing" && !isOpen) return null;
  const { branch, target, commit } = (
    outcome.kind === "nothing" ? { ...known, commit: known?.head } : outcome
  ) as Extract<Landing, { kind: "proposed" }>;
  const claim = { seat, task: task.id, attempt: task.attempt };
  const evidence = await evidenceOf(store, task.id, commit);
  const sends = (now: Tracked): Sending[] => {
    if (now.number === null || now.state === "closed") {
      const body = bodyOf({ ...evidence, result, issue: now.issue, team: store.team });
      const key = now.number === null ? "open" : `open:${now.number}`;
      const to = { branch, base: target, title: titleOf(task.subject) };
      return [{ key, kind: "open", target: to, body }];
    }
    const { number, memory, head: before } = now;
    return memory.asks.map((ask) => ({
      key: `answer:${ask.ids[0]}`,
      kind: ask.root === null ? "comment" : "reply",
      target: { number, ...(ask.root !== null && { root: ask.root }) },
      body: answerTo(ask, memory, { commit, before, result }),
    }));
  };
  const text = `#${task.id} is pushed as ${branch} and waits for its pull request: it is completed when that is merged. If its checks fail or somebody reviews it, you get it back. End your turn now, or claim another task.`;
  await store.forge.propose(claim, { repo, branch, target, commit, sends }, ctx.answer(text));
  return text;
}

/** What the journal knows of the task. */
async function evidenceOf(store: Store, id: TaskId, commit: string) {
  const checks: string[] = [];
  const spent = new Spent();
  const types = [...SPENDING_FACTS, "task.checked"] as const;
  for await (const { events } of store.journal.pages(store.journal.from(0), types))
    for (const event of events) {
      spent.apply(event);
      if (event.type === "task.checked" && event.task === id && event.when === "completion")
        checks.push(`\`${event.command}\`: ${event.outcome}${didWords(event)}`);
    }
  const [gate] = await store.landings.gates.green([commit]);
  return {
    ...{ checks: checks.slice(-3), costUsd: spent.costs().tasks[id]?.usd ?? 0 },
    gate: gate ? `\`${gate.command}\` is green (${Math.round(gate.ms / 1_000)} s)` : "",
  };
}
