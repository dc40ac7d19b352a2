/** Commands about the history of a team: taking changes back, putting them back, forks, and comparisons. */
import type { Entry } from "./entry.ts";

export const HISTORY: readonly Omit<Entry, "group">[] = [
  {
    usage: "undo [what]",
    about: "undo the last file change, or all changes for a task",
    example: "ekiden undo bob",
    options: [
      ["--since <seq>", "all changes since this journal line"],
      ["--conversation", "also cut the members' conversations there"],
      ["--dry-run", "only show it"],
      ["--list", "list the recorded changes"],
    ],
    near: ["revert"],
    load: async () => (await import("./board/undo.ts")).undo,
  },
  {
    usage: "redo",
    about: "restore what the last undo took back",
    example: "ekiden redo",
    load: async () => (await import("./board/undo.ts")).redo,
  },
  {
    usage: "fork [task]",
    about: "copy this team into a new one, as it was before the last attempt of a task or at another point",
    example: "ekiden fork --at 120 --as other",
    options: [
      ["--at <point>", "a journal line (120), a time (14:30) or a task (#3); default now"],
      ["--as <name>", "the name of the new team"],
    ],
    near: ["branch", "copy", "clone"],
    load: () => import("./board/fork.ts"),
  },
  {
    usage: "compare <team> <other>",
    about: "two teams side by side, for example a team and its fork: money, tasks, time, files",
    example: "ekiden compare default fork",
    near: ["diff", "versus"],
    load: () => import("./board/compare.ts"),
  },
];
