/** One line for a call of a tool: the command, the path, or the input as it is. For every face. */
import { inOurNames } from "../tool-names.ts";
import { type Called, shownCall } from "./shown-call.ts";

const KEYS = "command path pattern to task subject query name id url topic request".split(" ");
/** Fields with the text of a call, besides its subject. */
const WORDS = "result reason text message plan question prompt feedback note patch".split(" ");

export function callText(call: Pick<Called, "input" | "shows"> & Partial<Called>): string {
  const { input } = inOurNames({ tool: "", ...call });
  const shown = shownCall({ tool: "", ...call });
  if (call.shows && shown.kind === "command") return shown.command;
  if (call.shows && "path" in shown) return shown.path;
  if (typeof input !== "object" || input === null) return String(input ?? "");
  const fields = input as Record<string, unknown>;
  const first = (keys: readonly string[]): string => {
    const value = keys
      .map((key) => fields[key])
      .find((one) => typeof one === "string" || typeof one === "number");
    return typeof value === "number" ? `#${value}` : ((value as string | undefined) ?? "");
  };
  const [about, says] = [first(KEYS), first(WORDS)];
  if (about !== "") return says === "" ? about : `${about}: ${says}`;
  if (says !== "") return says;
  if (Array.isArray(fields.todos)) return todosText(fields.todos);
  return Object.keys(fields).length === 0 ? "" : JSON.stringify(input);
}

/** "1 of 3 done, now: Change it" */
function todosText(todos: readonly { readonly content?: unknown; readonly status?: unknown }[]): string {
  const done = todos.filter((one) => one?.status === "completed").length;
  const now = todos.find((one) => one?.status === "in_progress")?.content;
  return `${done} of ${todos.length} done${typeof now === "string" ? `, now: ${now}` : ""}`;
}
