/** The panels: each is a file that makes rows of the team's state. The one that is open takes a part of the feed's room. */
import type { Store } from "../../../ports/index.ts";
import type { Action, Row } from "../list.ts";
import type { Style } from "../style.ts";
import type { TeamModel } from "../team.ts";
import { boardPanel } from "./board.ts";
import { jobsPanel } from "./jobs.ts";
import { landingsPanel } from "./landings.ts";
import { mailPanel } from "./mail.ts";
import { membersPanel } from "./members.ts";
import { questionsPanel } from "./questions.ts";
import { todosPanel } from "./todos.ts";

export type PanelInput = {
  readonly team: TeamModel;
  readonly store: Store;
  readonly style: Style;
  readonly now: number;
  readonly place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
};

/** The data of a panel. */
export type Listed = {
  readonly rows: readonly Row[];
  /** Said where there are no rows. */
  readonly empty: string;
  /** A line above the rows. */
  head?(width: number): string;
};

export type Panel = {
  readonly title: string;
  /** The actions of keys that do not depend on the selected row. */
  readonly actions?: readonly Action[];
  /** Reads what it shows. */
  read(input: PanelInput): Promise<Listed>;
};

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
