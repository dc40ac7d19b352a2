/** How a run works, as a person may choose it at its start. It is a fact of the run, so that the next form begins with it on any machine. Pure. */
import type { Mode } from "../permission/mode.ts";
import type { Settings } from "./settings.ts";

export type Choices = {
  /** "": by itself. */
  readonly model: string;
  readonly lead: string;
  readonly effort: string;
  /** Null: as needed. */
  readonly teammates: number | null;
  readonly worktrees: boolean | "auto";
  readonly mode: Mode;
  /** Each command is asked about. */
  readonly ask: boolean;
};

export const ASK_EACH = "bash(*)";

export const choicesOf = (settings: Settings): Choices => ({
  model: settings.model ?? "",
  lead: settings.lead?.replace(/^agent:/, "") ?? "",
  effort: typeof settings.effort === "string" ? settings.effort : "",
  teammates: settings.teammates?.length ?? null,
  ...{ worktrees: settings.worktrees, mode: settings.permissionMode, ask: settings.ask.includes(ASK_EACH) },
});
