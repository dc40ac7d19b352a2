/**
 * Whether a call may run: the person's rules first, then what the person wrote down to be run, then the person.
 */
import { scriptsIn } from "../core/fences.ts";
import { type Name, PERSON, type TaskId } from "../core/ids.ts";
import type { Settings } from "../core/settings.ts";
import type { Cursor, Store } from "../ports/index.ts";
import type { Call, Judge, Verdict } from "../runtime/call.ts";

export type Question = { readonly who: Name; readonly tool: string; readonly subject: string };
export type Ask = (question: Question) => Promise<"yes" | "no" | "always">;
export type Judges = { readonly judge: Judge };

export function judges(store: Store, settings: Settings, ask: Ask | undefined): Judges {
  const always = new Set<string>();
  return {
    async judge(call): Promise<Verdict> {
      const { tool, ctx } = call;
      const subject = tool.subject?.(call.input) ?? "";
      if (tool.access === "read" || tool.access === "team" || settings.permissionMode === "bypass")
        return { allowed: true };
      if (always.has(`${tool.name} ${subject}`) || (await writtenByPerson(store, call)))
        return { allowed: true };
      if (!ask) return { allowed: false, reason: `Not permitted: ${tool.name} ${subject}` };
      const answer = await ask({ who: ctx.self, tool: tool.name, subject });
      if (answer === "always") always.add(`${tool.name} ${subject}`);
      return answer === "no"
        ? { allowed: false, reason: `The person said no to ${tool.name} ${subject}.` }
        : { allowed: true };
    },
  };
}

/**
 * The commands that the person wrote into the task that the caller has in hand (a runbook's blocks) are what the person asked to
 * be run. Not so once anybody else has changed the description.
 */
async function writtenByPerson(store: Store, { tool, input, ctx }: Call): Promise<boolean> {
  if (tool.name !== "bash") return false;
  const task = await store.board.mine(ctx.self);
  if (!task || task.createdBy !== PERSON) return false;
  const { command } = input as { readonly command: string };
  if (!scriptsIn(task.description).some((script) => script.text === command)) return false;
  return !(await rewritten(store, task.id));
}

async function rewritten(store: Store, id: TaskId): Promise<boolean> {
  const { events } = await store.journal.read("" as Cursor, { types: ["task.changed"], limit: 100_000 });
  return events.some(
    (event) =>
      event.type === "task.changed" &&
      event.task === id &&
      event.by !== PERSON &&
      event.what.includes("description"),
  );
}
