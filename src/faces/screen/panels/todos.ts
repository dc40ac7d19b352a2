/** The todo list of each member that has one. */
import { colourOf } from "../draw/colours.ts";
import { oneLine, shortened } from "../draw/style.ts";
import type { Listed, Panel, PanelInput } from "./panel.ts";

const MARKS = { pending: "☐", in_progress: "▶", completed: "☑" } as const;
const TONES = { pending: "plain", in_progress: "busy", completed: "dim" } as const;

export const todosPanel: Panel = {
  title: "todos",
  read: async ({ team, style }: PanelInput): Promise<Listed> => {
    const { paint } = style;
    const lists = [...team.stories.values()].filter(({ todos }) => todos.length > 0);
    return {
      empty: "Nobody has a todo list.",
      rows: lists.map(({ who, todos }) => ({
        id: who,
        text: `${who} ${todos.map(({ content }) => content).join(" ")}`,
        actions: [{ key: "enter", word: "conversation", line: `/to ${who}` }],
        lines: (width) => [
          `${paint(colourOf(who), who)} ${paint("dim", `${todos.filter(({ status }) => status === "completed").length} of ${todos.length} done`)}`,
          ...todos.map(({ content, status }) =>
            paint(TONES[status], shortened(`  ${MARKS[status]} ${oneLine(content)}`, width)),
          ),
        ],
      })),
    };
  },
};
