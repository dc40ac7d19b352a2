/**
 * The variables that tell a command about its task. A command runs at least once: when its process dies before its answer is stored, it runs again.
 * The key is the same each time, so a command can pass it on, or look whether its effect is there already.
 */
import type { Name } from "../ids.ts";
import type { Claimed } from "./task.ts";

export const taskVariables = (team: Name, task: Claimed | null, command: string): Record<string, string> =>
  task
    ? {
        EKIDEN_TASK: String(task.id),
        EKIDEN_ATTEMPT: String(task.attempt),
        EKIDEN_IDEMPOTENCY_KEY: `${team}-${task.id}-${hash(`${task.createdAt} ${command}`)}`,
      }
    : {};

/** 64 bits by two rounds of FNV-1a: they tell the commands of one task apart and need not resist an attacker. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i += 1) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return [a, b].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}
