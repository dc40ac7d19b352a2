/** The panels: each is a file that makes lines of the team's state. The one that is open takes a part of the feed's room. */
import type { Store } from "../../../ports/index.ts";
import type { Style } from "../style.ts";
import type { TeamModel } from "../team.ts";
import { boardPanel } from "./board.ts";
import { jobsPanel } from "./jobs.ts";
import { mailPanel } from "./mail.ts";
import { todosPanel } from "./todos.ts";

export type PanelInput = {
  readonly team: TeamModel;
  readonly store: Store;
  readonly style: Style;
  readonly now: number;
};

/** What was read for a panel, as lines of a width. */
export type Drawn = (width: number) => readonly string[];

export type Panel = {
  readonly title: string;
  /** Reads what it shows. */
  read(input: PanelInput): Promise<Drawn>;
};

export const PANELS = { board: boardPanel, mail: mailPanel, todos: todosPanel, jobs: jobsPanel } as const;
export type PanelName = keyof typeof PANELS;
export const PANEL_NAMES = Object.keys(PANELS) as readonly PanelName[];
