/** The names of the panels, in the order of their keys. */
export const PANEL_NAMES = [
  "board",
  "mail",
  "todos",
  "jobs",
  "members",
  "questions",
  "landings",
  "notes",
] as const;
export type PanelName = (typeof PANEL_NAMES)[number];
