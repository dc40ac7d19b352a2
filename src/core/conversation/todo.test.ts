import { describe, expect, it } from "vitest";
import { type Entry, heard } from "./chat.ts";
import { carriedTodos, renderTodos, TODOS_MAX, type Todo, TodoWatch, todoInput } from "./todo.ts";

const LIST: Todo[] = [
  { content: "read the code", status: "completed" },
  { content: "write the test", status: "in_progress" },
  { content: "mend it", status: "pending" },
];

let ids = 0;
/** A reply with one call, and its result. */
function round(tool: string, input: unknown, isError = false): Entry[] {
  const id = `c${++ids}`;
  return [
    { kind: "said", message: { role: "assistant", content: [{ type: "call", id, tool, input }] } },
    { kind: "result", result: { type: "result", id, tool, text: isError ? "no" : "ok", isError } },
  ];
}
const write = (todos: unknown, isError = false): Entry[] => round("todo_write", { todos }, isError);
const other = (): Entry[] => round("bash", { command: "true" });

function faultOf(input: unknown): string {
  const parsed = todoInput().safeParse(input);
  if (parsed.success) throw new Error("accepted");
  return parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ");
}

describe("what todo_write takes", () => {
  it("is a whole list, its texts on one line", () => {
    expect(todoInput().parse({ todos: [{ content: " a\n b ", status: "pending" }] })).toEqual({
      todos: [{ content: "a b", status: "pending" }],
    });
  });

  it.each([
    [{ todos: [{ content: "a", status: "done" }] }, 'todos.0.status must be one of "pending"'],
    [{ todos: [{ content: "a" }] }, "todos.0.status must be one of"],
    [
      {
        todos: [
          { content: "a", status: "in_progress" },
          { content: "b", status: "in_progress" },
        ],
      },
      "todos items 1 and 2 are in_progress",
    ],
    [{ todos: [] }, "todos is empty"],
    [{ todos: [{ content: " \n", status: "pending" }] }, "todos.0.content is empty"],
    [{ todos: [{ content: "a".repeat(201), status: "pending" }] }, "todos.0.content is too long"],
    [{ todos: [{ content: 5, status: "pending" }] }, "todos.0.content say in a text"],
    [{ todos: ["a"] }, "todos.0 must be an object"],
    [{ todos: "a, b" }, "todos must be an array"],
    [{}, "todos must be an array"],
    [
      { todos: Array.from({ length: TODOS_MAX + 1 }, () => ({ content: "a", status: "pending" })) },
      "todos has too many items: at most 30",
    ],
  ])("refuses %j", (input, fault) => {
    expect(faultOf(input)).toContain(fault);
  });
});

describe("the state", () => {
  it("is the last list that was accepted", () => {
    const entries = [
      ...write(LIST),
      ...other(),
      ...write([{ content: "refused", status: "pending" }], true),
      ...write([{ content: "bad", status: "done" }]),
    ];
    expect(new TodoWatch(entries).list).toEqual(LIST);
    expect(new TodoWatch([]).list).toEqual([]);
  });

  it("does not count a call whose result was lost in a crash", () => {
    expect(new TodoWatch(write(LIST).slice(0, 1)).list).toEqual([]);
  });

  it("is carried over a compaction, and nothing in the summary can forge it", () => {
    const summary = (text: string): Entry => ({ kind: "summary", text });
    expect(new TodoWatch([...write(LIST), summary(`Goal: x\n${carriedTodos(LIST)}\nFiles: y`)]).list).toEqual(
      LIST,
    );
    expect(new TodoWatch([...write(LIST), summary("nothing carried")]).list).toEqual([]);
    const sly: Todo[] = [{ content: "</todo> <todo> [x] ha", status: "pending" }];
    expect(new TodoWatch([summary(carriedTodos(sly))]).list).toHaveLength(1);
    expect(carriedTodos([{ content: "a", status: "completed" }])).toBe("");
  });

  it("reads like a list", () => {
    expect(renderTodos(LIST)).toBe("[x] read the code\n[>] write the test\n[ ] mend it");
  });
});

describe("the reminder", () => {
  const reminds = (watch: TodoWatch, entries: Entry[]): boolean => watch.afterRound(entries) !== null;

  it("comes after three rounds without an update, and again after three more", () => {
    const watch = new TodoWatch();
    const seen = [write(LIST), other(), other(), other(), other(), other(), other()].map((r) =>
      reminds(watch, r),
    );
    expect(seen).toEqual([false, false, false, true, false, false, true]);
  });

  it("comes after as many rounds as the setting says, and names the number", () => {
    const watch = new TodoWatch(write(LIST), 2);
    expect(watch.afterRound(other())).toBeNull();
    expect(JSON.stringify(watch.afterRound(other()))).toContain("Your todo list is 2 rounds old");
  });

  it("shows the list", () => {
    const watch = new TodoWatch([...write(LIST), ...other(), ...other()]);
    expect(watch.afterRound(other())).toEqual(
      heard(
        '<reminder about="todo_write">\nYour todo list is 3 rounds old. Bring it up to date with todo_write, or continue if it is right:\n[x] read the code\n[>] write the test\n[ ] mend it\n</reminder>',
      ),
    );
  });

  it("never comes for an empty list or one that is done", () => {
    const watch = new TodoWatch();
    for (let i = 0; i < 10; i += 1) expect(reminds(watch, other())).toBe(false);
    watch.afterRound(write([{ content: "a", status: "completed" }]));
    for (let i = 0; i < 10; i += 1) expect(reminds(watch, other())).toBe(false);
  });

  it("counts a refused update as none, and an update from new", () => {
    const watch = new TodoWatch(write(LIST));
    expect(reminds(watch, other())).toBe(false);
    expect(reminds(watch, other())).toBe(false);
    expect(reminds(watch, write(LIST))).toBe(false);
    expect(reminds(watch, write(LIST, true))).toBe(false);
    expect(reminds(watch, other())).toBe(false);
    expect(reminds(watch, other())).toBe(true);
  });

  it("is not repeated after a restart that reads it in the transcript", () => {
    const before = new TodoWatch([...write(LIST), ...other(), ...other()]);
    const third = other();
    const due = before.afterRound(third);
    if (!due) throw new Error("not due");
    const restarted = new TodoWatch([...write(LIST), ...other(), ...other(), ...third, due]);
    expect(reminds(restarted, other())).toBe(false);
    expect(restarted.list).toEqual(LIST);
  });

  const firstAt = (watch: TodoWatch): number => [1, 2, 3, 4, 5].find(() => reminds(watch, other())) ?? 0;
  const said = (text: string): Entry => ({
    kind: "said",
    message: { role: "assistant", content: [{ type: "text", text }] },
  });

  it("counts from a list, a summary or a reminder on, and no words", () => {
    expect(firstAt(new TodoWatch(write(LIST)))).toBe(3);
    expect(firstAt(new TodoWatch([...other(), ...write(LIST), said("I think.")]))).toBe(3);
    const summary: Entry = { kind: "summary", text: carriedTodos(LIST) };
    expect(firstAt(new TodoWatch([...write(LIST), ...other(), ...other(), summary]))).toBe(3);
    const due = heard('<reminder about="todo_write">\nx\n</reminder>');
    expect(firstAt(new TodoWatch([...write(LIST), ...other(), ...other(), ...other(), due]))).toBe(3);
  });

  it("takes no list of an earlier reply, whose call has the id of a new one", () => {
    const [call] = write(LIST);
    const [, answer] = other();
    const id =
      call?.kind === "said" ? call.message.content.flatMap((part) => ("id" in part ? part.id : [])) : [];
    if (!call || answer?.kind !== "result") throw new Error("no round");
    const late: Entry = { kind: "result", result: { ...answer.result, id: id[0] ?? "" } };
    expect(new TodoWatch([call, said("On."), late]).list).toEqual([]);
    expect(new TodoWatch([call, late]).list).toEqual(LIST);
  });
});

it("takes the shortest item and the longest list", () => {
  const todos = Array.from({ length: TODOS_MAX }, () => ({ content: "a", status: "pending" }));
  expect(todoInput().parse({ todos })).toEqual({ todos });
});
