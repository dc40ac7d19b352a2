/** The project whose teams a page shows. */
import type { Settings } from "../../core/settings/settings.ts";
import type { Launch } from "./launch.ts";

export type Project = {
  readonly settings: Settings;
  readonly cwd: string;
  readonly version: string;
  /** Takes secrets out of what commands print. */
  readonly redact: (text: string) => string;
  /** With it the teams of other projects are found and opened. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly launch?: Launch | undefined;
};
