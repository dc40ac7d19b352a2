/** The todo list of each member that has one. */
import { colourOf } from "../../../core/views/identity.ts";
import { oneLine, shortened } from "../style.ts";
import type { Drawn, Panel, PanelInput } from "./panel.ts";

const MARKS = { pending: "☐", in_progress: "▶", completed: "☑" } as const;
const TONES = { pending: "plain", in_progress: "busy", completed: "dim" } as const;

export const todosPanel: Panel = {
  title: "todos",
  read: async ({ team, style }: PanelInput): Promise<Drawn> => {
    const { paint } = style;
    const lists = [...team.stories.values()].flatMap(({ who, todos }) =>
      todos.length > 0 ? [{ who, todos }] : [],
    );
    return (width) =>
      lists.length === 0
        ? [paint("dim", "Nobody has a todo list.")]
        : lists.flatMap(({ who, todos }) => [
            `${paint(colourOf(who), who)} ${paint("dim", `${todos.filter(({ status }) => status === "completed").length} of ${todos.length} done`)}`,
            ...todos.map(({ content, status }) =>
              paint(TONES[status], shortened(`  ${MARKS[status]} ${oneLine(content)}`, width)),
            ),
          ]);
  },
};
