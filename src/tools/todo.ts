/** A member's list of steps. The call in the transcript is the only record (see core/conversation/todo.ts). */
import { renderTodos, TODO_TOOL, todoInput } from "../core/conversation/todo.ts";
import { defineTool } from "./define.ts";

export const todoWrite = defineTool({
  name: TODO_TOOL,
  description: "Write your whole list, one in_progress.",
  access: "team",
  input: todoInput,
  subject: ({ todos }) =>
    todos.find(({ status }) => status === "in_progress")?.content ?? `${todos.length} items`,
  run: async ({ todos }) => renderTodos(todos),
});
