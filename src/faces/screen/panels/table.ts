/** The panels: each is a file that makes rows of the team's state. The one that is open takes a part of the feed's room. */
import { boardPanel } from "./board.ts";
import { jobsPanel } from "./jobs.ts";
import { landingsPanel } from "./landings.ts";
import { mailPanel } from "./mail.ts";
import { membersPanel } from "./members.ts";
import type { Panel } from "./panel.ts";
import { questionsPanel } from "./questions.ts";
import { todosPanel } from "./todos.ts";

/** In the order of their keys. */
export const PANELS = {
  board: boardPanel,
  mail: mailPanel,
  todos: todosPanel,
  jobs: jobsPanel,
  members: membersPanel,
  questions: questionsPanel,
  landings: landingsPanel,
} as const satisfies Readonly<Record<string, Panel>>;
export type PanelName = keyof typeof PANELS;
export const PANEL_NAMES = Object.keys(PANELS) as readonly PanelName[];
