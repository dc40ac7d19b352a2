/** The panels: each is a file that makes rows of the team's state. The one that is open takes a part of the feed's room. */
import { boardPanel } from "./board.ts";
import { jobsPanel } from "./jobs.ts";
import { landingsPanel } from "./landings.ts";
import { mailPanel } from "./mail.ts";
import { membersPanel } from "./members.ts";
import type { PanelName } from "./names.ts";
import { notesPanel } from "./notes.ts";
import type { Panel } from "./panel.ts";
import { questionsPanel } from "./questions.ts";
import { todosPanel } from "./todos.ts";

export const PANELS = {
  board: boardPanel,
  mail: mailPanel,
  todos: todosPanel,
  jobs: jobsPanel,
  members: membersPanel,
  questions: questionsPanel,
  landings: landingsPanel,
  notes: notesPanel,
} as const satisfies Readonly<Record<PanelName, Panel>>;
