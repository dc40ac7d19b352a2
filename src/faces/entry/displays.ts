/** The displays of a run: each is loaded when it is opened. */
import type { Displays } from "../run/displays.ts";

export const DISPLAYS: Displays = {
  screen: async (call) => new (await import("../screen/run-screen.ts")).RunScreen(call),
  lines: async (call) => (await import("../line/lines.ts")).linesOfRun(call),
  page: async (call, store) => await (await import("../web/open-page.ts")).pageOfRun(call, store),
};
