/** A member's list of steps. The call itself is the record: nothing is kept here (see core/conversation/todo.ts). */
import { renderTodos, TODO_TOOL, todoInput } from "../core/conversation/todo.ts";
import { defineTool } from "./define.ts";

export const todoWrite = defineTool({
  name: TODO_TOOL,
  description: "Note your steps: the whole list each time, one in_progress.",
  access: "team",
  input: todoInput,
  subject: ({ todos }) =>
    todos.find(({ status }) => status === "in_progress")?.content ?? `${todos.length} items`,
  run: async ({ todos }) => renderTodos(todos),
});
