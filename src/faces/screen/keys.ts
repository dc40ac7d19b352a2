/** The actions that keys of the full screen have: one table for the keys, for `/keys`, and for the person's own choice of keys. */
import { type KeyId, matchesKey } from "@earendil-works/pi-tui";
import { PANEL_NAMES, type PanelName } from "./panels/panel.ts";

export type ActionName =
  | "interrupt"
  | "suspend"
  | "redraw"
  | "expand"
  | "panels"
  | "help"
  | "mode"
  | "member"
  | "page-up"
  | "page-down"
  | "end"
  | "leave"
  | "editor"
  | "paste"
  | "find"
  | "next-question"
  | "close"
  | PanelName;

type Bound = {
  readonly keys: readonly string[];
  readonly about: string;
  /** Only while the editor is empty: there the key means something else. */
  readonly whenEmpty?: true;
};

/** One value for each panel, by its name. */
export const eachPanel = <T>(make: (name: PanelName, nth: number) => T): Record<PanelName, T> =>
  Object.fromEntries(PANEL_NAMES.map((name, i) => [name, make(name, i)])) as Record<PanelName, T>;

export const ACTIONS: Readonly<Record<ActionName, Bound>> = {
  interrupt: { keys: ["ctrl+c"], about: "interrupts the lead, else clears the line; twice leaves" },
  suspend: { keys: ["ctrl+z"], about: "stops the program; fg continues it" },
  redraw: { keys: ["ctrl+l"], about: "draws the screen anew" },
  expand: { keys: ["ctrl+o"], about: "calls, their output and thoughts in full, or folded" },
  panels: { keys: ["ctrl+t"], about: "opens the panels in turn" },
  help: { keys: ["?"], about: "lists the commands and the keys", whenEmpty: true },
  mode: { keys: ["shift+tab"], about: "the next permission mode" },
  member: { keys: ["ctrl+n"], about: "looks at the next member" },
  "page-up": { keys: ["pageUp"], about: "scrolls the feed up" },
  "page-down": { keys: ["pageDown"], about: "scrolls the feed down" },
  end: { keys: ["end"], about: "to the end of the feed", whenEmpty: true },
  leave: { keys: ["ctrl+d"], about: "leaves; the team works on", whenEmpty: true },
  editor: { keys: ["ctrl+g"], about: "opens what you type in $VISUAL or $EDITOR" },
  paste: { keys: ["ctrl+v"], about: "pastes an image or a text of the clipboard" },
  find: { keys: ["ctrl+f"], about: "searches the story that is shown", whenEmpty: true },
  "next-question": { keys: ["tab"], about: "shows the next question", whenEmpty: true },
  close: {
    keys: ["escape"],
    about: "closes what is open, else interrupts the member that is shown, else returns to the lead",
  },
  ...eachPanel((name, i) => ({ keys: [`f${i + 2}`], about: `opens and closes the panel ${name}` })),
};

/** The action of a key, the first in the order of the table. */
export function actionOf(data: string, isEmpty: boolean): ActionName | undefined {
  for (const [name, { keys, whenEmpty }] of Object.entries(ACTIONS))
    if ((isEmpty || !whenEmpty) && keys.some((key) => matchesKey(data, key as KeyId)))
      return name as ActionName;
  return undefined;
}
