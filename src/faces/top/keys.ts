/** The keys of `ekiden top`. */
export type Action =
  | "leave"
  | "suspend"
  | "next pane"
  | "previous pane"
  | "next team"
  | "up"
  | "down"
  | "page up"
  | "page down"
  | "first"
  | "last";

const ACTIONS: Readonly<Record<string, Action>> = {
  q: "leave",
  "\x03": "leave",
  "\x1b": "leave",
  "\x1a": "suspend",
  "\t": "next pane",
  "\x1b[Z": "previous pane",
  t: "next team",
  k: "up",
  "\x1b[A": "up",
  "\x1bOA": "up",
  j: "down",
  "\x1b[B": "down",
  "\x1bOB": "down",
  "\x1b[5~": "page up",
  b: "page up",
  "\x1b[6~": "page down",
  " ": "page down",
  "\x1b[H": "first",
  "\x1b[1~": "first",
  g: "first",
  "\x1b[F": "last",
  "\x1b[4~": "last",
  G: "last",
};

export const HINT = "q leave · Tab pane · ↑↓ PgUp PgDn g G scroll · t team";

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys begin with them
const KEYS = /\x1b\[[0-9;?]*[A-Za-z~]|\x1bO[A-Za-z]|[\s\S]/gu;

/** The actions of what a terminal has sent at once; other keys do nothing. */
export const actionsOf = (typed: string): Action[] =>
  (typed.match(KEYS) ?? []).flatMap((key) => (Object.hasOwn(ACTIONS, key) ? [ACTIONS[key] as Action] : []));
