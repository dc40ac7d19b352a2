/**
 * A member's own list of steps. Each `todo_write` has the whole list, so the newest valid one in the transcript
 * *is* the state: it needs no table, survives restarts, and a compaction carries it over as text (`carriedTodos`).
 */
import { z } from "zod";
import { lazy } from "../lazy.ts";
import { inOurNames } from "../tool-names.ts";
import { type Entry, heard } from "./chat.ts";
import { tagged } from "./tags.ts";

export const TODO_TOOL = "todo_write";
export const TODOS_MAX = 30;
/** Characters of one item. */
export const TODO_MAX = 200;
/** Rounds of tool calls without an update, while an item is open, before the member is reminded. */
const REMINDER_ROUNDS = 3;

const STATUSES = ["pending", "in_progress", "completed"] as const;
const ONE_OF = STATUSES.map((status) => `"${status}"`).join(", ");

export type Todo = { readonly content: string; readonly status: (typeof STATUSES)[number] };

const item = () =>
  z.strictObject(
    {
      content: z
        .string("say in a text what is to be done")
        .transform((text) => text.replace(/\s+/g, " ").trim())
        .pipe(
          z
            .string()
            .min(1, "is empty: say what is to be done")
            .max(TODO_MAX, `is too long: at most ${TODO_MAX} characters`),
        ),
      status: z.enum(STATUSES, `must be one of ${ONE_OF}`),
    },
    "must be an object { content, status }",
  );

/** The input of `todo_write`. Every issue says what was expected. */
export const todoInput = lazy(() =>
  z.strictObject({
    todos: z
      .array(item(), "must be an array of { content, status }, the whole list")
      // not as `min` and `max`: they would be in the schema, which every request pays for
      .superRefine((list, ctx) => {
        const refuse = (message: string): void => ctx.addIssue({ code: "custom", message });
        if (list.length === 0)
          refuse("is empty: write the whole list; when all is done, keep the items as completed");
        if (list.length > TODOS_MAX)
          refuse(`has too many items: at most ${TODOS_MAX}; put larger work on the board`);
        const busy = list.flatMap(({ status }, i) => (status === "in_progress" ? [i + 1] : []));
        if (busy.length > 1)
          refuse(
            `items ${busy.join(" and ")} are in_progress: at most one may be; make the others pending or completed`,
          );
      }),
  }),
);

const isOpen = (list: readonly Todo[]): boolean => list.some(({ status }) => status !== "completed");

const MARKS = { pending: " ", in_progress: ">", completed: "x" } as const;
const LINE = /^\[([ >x])\] (.+)$/;

/** One line an item: `[x] done`, `[>] in progress`, `[ ] pending`. */
export const renderTodos = (list: readonly Todo[]): string =>
  list.map(({ content, status }) => `[${MARKS[status]}] ${content}`).join("\n");

/** The list as a summary carries it; "" without an open item. */
export const carriedTodos = (list: readonly Todo[]): string =>
  isOpen(list) ? tagged("todo", {}, renderTodos(list)) : "";

/** Reads back what `carriedTodos` wrote into a text; null when there is none. */
function carriedIn(text: string): readonly Todo[] | null {
  const blocks = [...text.matchAll(/^<todo>\n([\s\S]*?)\n<\/todo>$/gm)];
  const block = blocks.at(-1)?.[1];
  if (block === undefined) return null;
  return block.split("\n").flatMap((line): Todo[] => {
    const [, mark, content] = LINE.exec(line) ?? [];
    const status = STATUSES.find((s) => MARKS[s] === mark);
    return status && content ? [{ content, status }] : [];
  });
}

const REMINDER = { about: TODO_TOOL };
const REMINDER_HEAD = `<reminder about="${TODO_TOOL}">`;

const reminder = (list: readonly Todo[], rounds: number): Entry =>
  heard(
    tagged(
      "reminder",
      REMINDER,
      `Your todo list is ${rounds} rounds old. Bring it up to date with ${TODO_TOOL}, or continue if it is right:\n${renderTodos(list)}`,
    ),
  );

/** Follows one conversation entry by entry. All its state is in the transcript, so a restart finds the same. */
export class TodoWatch {
  private items: readonly Todo[] = [];
  private rounds = 0;
  private written = new Map<string, readonly Todo[]>();

  private readonly most: number;

  /** `most`: rounds without an update. */
  constructor(entries: readonly Entry[] = [], most = REMINDER_ROUNDS) {
    this.most = most;
    for (const entry of entries) this.add(entry);
  }

  get list(): readonly Todo[] {
    return this.items;
  }

  /** The text for a summary. */
  get carried(): string {
    return carriedTodos(this.items);
  }

  /**
   * Call it with the entries of every round that had calls: the reply and its results. Returns a reminder when one is due; it
   * goes into the transcript and need not be passed in again.
   */
  afterRound(round: readonly Entry[]): Entry | null {
    for (const entry of round) this.add(entry);
    if (!isOpen(this.items) || this.rounds < this.most) return null;
    this.rounds = 0;
    return reminder(this.items, this.most);
  }

  private add(entry: Entry): void {
    switch (entry.kind) {
      case "said": {
        const calls = entry.message.content.filter((part) => part.type === "call");
        this.written = new Map();
        for (const call of calls) {
          const { tool, input } = inOurNames(call);
          const parsed = tool === TODO_TOOL ? todoInput().safeParse(input) : null;
          if (parsed?.success) this.written.set(call.id, parsed.data.todos);
        }
        if (calls.length > 0) this.rounds += 1;
        return;
      }
      case "result": {
        const list = entry.result.isError ? undefined : this.written.get(entry.result.id);
        if (!list) return;
        this.items = list;
        this.rounds = 0;
        return;
      }
      case "heard":
        if (entry.text.startsWith(REMINDER_HEAD)) this.rounds = 0;
        return;
      case "summary":
        this.items = carriedIn(entry.text) ?? [];
        this.rounds = 0;
    }
  }
}
