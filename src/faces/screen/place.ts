/** The parts of the screen that a command of it gets. */
import type { TeamHost } from "../../host/team-host.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { FirstModel } from "./ask/first-model.ts";
import type { PersonShell } from "./editor/person-shell.ts";
import type { Screen } from "./screen.ts";
import type { TeamModel } from "./story/team.ts";

export type Place = {
  readonly call: Invocation;
  readonly host: TeamHost;
  readonly screen: Screen;
  readonly team: TeamModel;
  readonly shell: PersonShell;
  readonly quit: () => void;
  /** Stops the team and starts it with another model, key or program. Missing where that is not offered. */
  readonly restart?: (model: FirstModel) => void;
  /** Leaves the team at work, in a process of its own. Missing where that is not offered. */
  readonly detach?: () => void;
};
