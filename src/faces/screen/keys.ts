/** The actions that keys of the full screen have: one table for the keys, for `/keys`, and for the person's own choice of keys. */
import { type KeyId, matchesKey } from "@earendil-works/pi-tui";
import { quote } from "../../core/ids.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { PANEL_NAMES, type PanelName } from "./panels/names.ts";

export type ActionName =
  | "interrupt"
  | "suspend"
  | "redraw"
  | "expand"
  | "panels"
  | "help"
  | "mode"
  | "member"
  | "member-before"
  | "back"
  | "page-up"
  | "page-down"
  | "end"
  | "leave"
  | "editor"
  | "paste"
  | "find"
  | "next-question"
  | "take-back"
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
  interrupt: { keys: ["ctrl+c"], about: "interrupts the lead, else clears the line; twice stops the team" },
  suspend: { keys: ["ctrl+z"], about: "stops the program; fg continues it" },
  redraw: { keys: ["ctrl+l"], about: "redraws the screen" },
  expand: { keys: ["ctrl+o"], about: "calls, their output and thoughts in full, or folded" },
  panels: { keys: ["ctrl+t"], about: "opens the panels in turn" },
  help: { keys: ["?"], about: "shows the keys, until the next one", whenEmpty: true },
  mode: { keys: ["shift+tab"], about: "the next permission mode" },
  member: { keys: ["ctrl+n"], about: "looks at the next member" },
  "member-before": { keys: ["ctrl+p"], about: "looks at the member before" },
  back: { keys: ["left"], about: "returns to the lead", whenEmpty: true },
  "page-up": { keys: ["pageUp"], about: "scrolls the feed up" },
  "page-down": { keys: ["pageDown"], about: "scrolls the feed down" },
  end: { keys: ["end"], about: "to the end of the feed", whenEmpty: true },
  leave: { keys: ["ctrl+d"], about: "leaves; the team keeps working", whenEmpty: true },
  editor: { keys: ["ctrl+g"], about: "opens what you type in $VISUAL or $EDITOR" },
  paste: { keys: ["ctrl+v"], about: "pastes an image or a text of the clipboard" },
  find: {
    keys: ["ctrl+f"],
    about: "shows all of a waiting question, else searches the story",
    whenEmpty: true,
  },
  "next-question": { keys: ["tab"], about: "shows the next question", whenEmpty: true },
  "take-back": {
    keys: ["up"],
    about: "takes back your last message while nobody has read it; else shows earlier lines",
    whenEmpty: true,
  },
  close: {
    keys: ["escape"],
    about: "closes what is open, else interrupts the member that is shown, else returns to the lead",
  },
  ...eachPanel((name, i) => ({ keys: [`f${i + 2}`], about: `opens or closes the panel ${name}` })),
};

const KEY =
  /^(?:(?:ctrl|shift|alt|super)\+)*(?:[a-z0-9]|f(?:[1-9]|1[0-2])|escape|enter|tab|space|backspace|insert|delete|home|end|pageUp|pageDown|up|down|left|right|[`\-=[\]\\;',./!@#$%^&*()_+|~{}:<>?])$/;

let bound: Readonly<Record<ActionName, Bound>> = ACTIONS;

/** The keys as they are now. */
export const boundKeys = (): Readonly<Record<ActionName, Bound>> => bound;

/** "ctrl+t panels", with the key that the action has now; empty where it has none. */
export function keyHint(action: ActionName, what: string): string {
  const [key] = bound[action].keys;
  return key === undefined ? "" : `${key.replace("escape", "esc").replace("left", "←")} ${what}`.trim();
}

/** Those that are not empty. */
export const inRow = (...parts: readonly string[]): string => parts.filter((one) => one !== "").join(" · ");

/**
 * Takes the person's keys: an object of actions, each with a key or a list of keys. A key that was another action's leaves that
 * one. Returns a sentence for each fault; an action with a fault keeps its keys.
 */
export function bindKeys(wanted: unknown): string[] {
  bound = ACTIONS;
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted))
    return ['keys must be an object such as { "panels": "ctrl+p" }'];
  const faults: string[] = [];
  const own = new Map<ActionName, Bound>();
  const taken = new Map<string, ActionName>();
  for (const [name, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(ACTIONS, name)) {
      faults.push(
        `keys: there is no action ${quote(name)}.${didYouMean(name, Object.keys(ACTIONS))} /keys lists them`,
      );
      continue;
    }
    const action = name as ActionName;
    const list: unknown[] = Array.isArray(value) ? value : [value];
    const keys = list.filter((key): key is string => typeof key === "string" && KEY.test(key));
    const odd = list.find((key) => typeof key !== "string" || !KEY.test(key));
    if (odd !== undefined)
      faults.push(
        `keys: ${String(JSON.stringify(odd)).slice(0, 40)} of ${name} is no key; a key is such as ctrl+p, alt+shift+x, f9 or pageUp`,
      );
    const free = keys.filter((key) => {
      const other = taken.get(key);
      if (other !== undefined)
        faults.push(`keys: ${key} is given to ${other} and to ${name}; ${other} has it`);
      return other === undefined;
    });
    if (free.length === 0 && (odd !== undefined || keys.length > 0 || action === "interrupt")) {
      if (action === "interrupt" && list.length === 0) faults.push("keys: interrupt needs a key");
      continue;
    }
    for (const key of free) taken.set(key, action);
    const isTyped = free.some((key) => [...key].length === 1);
    const { about, whenEmpty } = ACTIONS[action];
    // A letter that is typed into a line must reach the line.
    own.set(action, { about, keys: free, ...((whenEmpty || isTyped) && { whenEmpty: true }) });
  }
  const entries = Object.entries(ACTIONS).map(([name, one]): [string, Bound] => {
    const kept = own.get(name as ActionName);
    return [name, kept ?? { ...one, keys: one.keys.filter((key) => !taken.has(key)) }];
  });
  const made = Object.fromEntries(entries) as Record<ActionName, Bound>;
  const lost = made.interrupt.keys.length === 0;
  if (lost) faults.push("keys: interrupt would have no key, so it keeps ctrl+c");
  bound = lost ? { ...made, interrupt: ACTIONS.interrupt } : made;
  return faults;
}

/** The action of a key, the first in the order of the table. */
export function actionOf(data: string, isEmpty: boolean): ActionName | undefined {
  for (const [name, { keys, whenEmpty }] of Object.entries(bound))
    if ((isEmpty || !whenEmpty) && keys.some((key) => matchesKey(data, key as KeyId)))
      return name as ActionName;
  return undefined;
}
