/** A panel: a file that makes rows of the team's state. */
import type { Store } from "../../../ports/index.ts";
import type { Action, Row } from "../draw/list.ts";
import type { Style } from "../draw/style.ts";
import type { TeamModel } from "../story/team.ts";

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
