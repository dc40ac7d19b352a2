/**
 * Tools that claim a task and end it. The answer to a call is written in the same transaction as its effect, so a crash cannot lose a
 * claim from the conversation or a completion from the board.
 */
import { z } from "zod";
import type { Claimed, ClaimResult } from "../../core/board/task.ts";
import { showTask } from "../../core/conversation/prompt.ts";
import { name, quote, type TaskId } from "../../core/ids.ts";
import type { Held, ToolContext } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { id, maybe, text } from "../inputs.ts";
import { noTask, taskOf } from "./board.ts";

export const claimTask = defineTool({
  name: "claim_task",
  description: "Claim a ready task.",
  access: "team",
  effect: "claims",
  ownTags: true,
  input: () => z.strictObject({ id, owner: maybe.text.meta({ untold: true }) }),
  subject: (input) => `#${input.id}`,
  run: async ({ id: wanted, owner }, { store, seat, answer, workspaceOf }) => {
    if (owner && name(owner) !== seat.name)
      throw new Error(
        `claim_task takes a task for yourself, and you are ${seat.name}. The lead reserves one for ${quote(owner)} with update_task and assign.`,
      );
    let shown = "";
    const claim = await store.board.claim(seat, wanted, (task) => {
      shown = showTask("auto-claimed", task, workspaceOf?.(task));
      return answer(shown);
    });
    if (!claim.ok) throw new Error(refusal(wanted, claim));
    return shown;
  },
});

export const completeTask = defineTool({
  name: "complete_task",
  description: "Your task is done and checked. `result` is for tasks that build on it.",
  access: "team",
  effect: "completes",
  input: () => z.strictObject({ id: maybe.ownId, result: text }),
  subject: (input) => (input.id ? `#${input.id}` : ""),
  run: async ({ id: wanted, result }, ctx) => {
    const task = await own(wanted, ctx);
    if (task.split) await endedParts(task.id, ctx);
    const text = (ready: readonly TaskId[]): string => `Completed #${task.id}.${readyNow(ready)}`;
    return text(await ctx.store.board.complete(held(task, ctx), result, (ready) => ctx.answer(text(ready))));
  },
});

/** The lead may also complete a task of somebody else, which is recorded as an override. */
export const completeTaskAsLead = defineTool({
  ...completeTask,
  input: () =>
    z.strictObject({
      id,
      result: text,
      override: maybe.flag.describe("also if another owns it"),
    }),
  run: async ({ id: wanted, result, override }, ctx) => {
    if (!override) return completeTask.run({ id: wanted, result }, ctx);
    const ready = await ctx.store.board.completeFor(wanted, ctx.self, result);
    return `Completed #${wanted} by override.${readyNow(ready)}`;
  },
});

export const retryTask = defineTool({
  name: "retry_task",
  description: "Put a failed or cancelled task back on the board.",
  access: "team",
  input: () => z.strictObject({ id, reason: maybe.text.describe("what to do differently") }),
  subject: (input) => `#${input.id}`,
  run: async ({ id: wanted, reason }, { store, self }) => {
    const { description, status, ...before } = await taskOf(store, wanted);
    // Before it can be claimed. Its next owner also reads why the last attempt ended.
    if (reason?.trim() && (status === "failed" || status === "cancelled"))
      await store.board.change(wanted, { description: `${description}\n\n[Retry: ${reason}]`.trim() }, self);
    await store.board.retry(wanted, self);
    const [replaced] = /^replaced by #\d+/.exec("reason" in before ? before.reason : "") ?? [];
    const both = replaced ? ` It was ${replaced}: cancel the one that is not needed.` : "";
    return `#${wanted} is back on the board.${both}`;
  },
});

export const cancelTask = defineTool({
  name: "cancel_task",
  description: "Take a task that is no longer needed off the board.",
  access: "team",
  input: () => z.strictObject({ id, reason: text }),
  subject: (input) => `#${input.id}`,
  run: async ({ id: wanted, reason }, { store, self }) => {
    const { status, ...before } = await taskOf(store, wanted);
    await store.board.cancel(wanted, self, reason);
    const owner =
      status === "in_progress" && "owner" in before && before.owner !== self ? before.owner : null;
    const waiting = (await store.board.tasks()).filter(
      (task) => task.status === "pending" && task.blockedBy.includes(wanted),
    );
    const behind =
      waiting.length === 0
        ? ""
        : ` ${waiting.map((task) => `#${task.id}`).join(", ")} cannot begin any more: create_task with replaces, or update_task with remove_blocked_by.`;
    return `#${wanted} is cancelled.${owner === null ? "" : ` ${owner} was told to stop.`}${behind}`;
  },
});

export const failTask = defineTool({
  name: "fail_task",
  description: "Your task cannot be done. It fails for good.",
  access: "team",
  effect: "ends",
  input: () => z.strictObject({ id: maybe.ownId, reason: text }),
  subject: (input) => (input.id ? `#${input.id}` : ""),
  run: async ({ id: wanted, reason }, ctx) => {
    const task = await own(wanted, ctx);
    const text = `Failed #${task.id}. The lead was told.`;
    await ctx.store.board.fail(held(task, ctx), reason, ctx.answer(text));
    return text;
  },
});

export const releaseTask = defineTool({
  name: "release_task",
  description: "Give your task back to the board.",
  access: "team",
  effect: "ends",
  input: () => z.strictObject({ id: maybe.ownId, reason: text }),
  subject: (input) => (input.id ? `#${input.id}` : ""),
  run: async ({ id: wanted, reason }, ctx) => {
    const task = await own(wanted, ctx);
    const text = `Released #${task.id}.`;
    await ctx.store.board.release(held(task, ctx), "given_back", reason, ctx.answer(text));
    return text;
  },
});

export async function own(wanted: TaskId | undefined, { store, self }: ToolContext): Promise<Claimed> {
  const task = wanted === undefined ? await store.board.mine(self) : await taskOf(store, wanted);
  if (!task) throw new Error("You have no task. claim_task takes one.");
  if (task.status === "in_progress" && task.owner === self) return task;
  if (task.status === "in_progress")
    throw new Error(
      `#${task.id} is ${task.owner}'s, so only ${task.owner} can end it. If something is wrong with it, send a message.`,
    );
  if (task.status === "pending") throw new Error(`#${task.id} is not claimed. Use claim_task first.`);
  throw new Error(`#${task.id} is ${task.status} already.`);
}

const readyNow = (ready: readonly TaskId[]): string =>
  ready.length > 0 ? ` Ready now: ${ready.map((next) => `#${next}`).join(", ")}.` : "";

/** A whole is not done before its parts are. */
async function endedParts(whole: TaskId, { store }: ToolContext): Promise<void> {
  const parts = await store.board.parts(whole);
  const open = parts.filter(({ status }) => status === "pending" || status === "in_progress");
  if (open.length > 0)
    throw new Error(
      `#${whole} has parts that have not ended: ${open.map(({ id, subject }) => `#${id} ${subject}`).join(", ")}. split_task without parts waits for them; fail_task ends it with the reason.`,
    );
}

const held = (task: Claimed, { seat }: ToolContext): Held => ({ seat, task: task.id, attempt: task.attempt });

function refusal(wanted: TaskId, claim: Exclude<ClaimResult, { ok: true }>): string {
  switch (claim.why) {
    case "missing":
      return noTask(wanted);
    case "taken":
      return `${claim.by} has #${wanted}. Take another task, or end your turn to get the next one.`;
    case "blocked":
      return `#${wanted} waits for ${claim.on.map((blocker) => `#${blocker}`).join(", ")}. Take another task.`;
    case "finished":
      return `#${wanted} is ${claim.status} already.`;
    case "role":
      return `#${wanted} is for the role ${claim.role}. Take another task.`;
    case "assigned":
      return `#${wanted} is assigned to ${claim.to}. Take another task.`;
    case "touches":
      return `#${wanted} would change files that #${claim.conflictsWith} is changing now. Take another task.`;
    case "busy":
      return `You have #${claim.with} in progress. End it first: complete_task, fail_task or release_task.`;
  }
}
