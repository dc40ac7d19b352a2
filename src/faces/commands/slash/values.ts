/** Lists the values that may follow a command of the conversation, for the tab key and for menus. */

import { MODES } from "../../../core/permission/mode.ts";
import { EFFORTS } from "../../../core/settings/effort.ts";
import { ownNames } from "./own-commands.ts";
import { completions } from "./slash.ts";

/** Characters that begin a value, and the values. */
export type Values = { readonly begun: string; readonly values: readonly string[] };

/** Null behind any other command, and behind a first value. `models`: those that are known here. */
export async function valuesBehind(
  line: string,
  models: () => Promise<readonly string[]>,
): Promise<Values | null> {
  const [, command, begun = ""] = /^\/(model|effort|mode)\s+(\S*)$/.exec(line) ?? [];
  if (command === undefined) return null;
  const begins = (value: string): boolean => value.startsWith(begun);
  if (command === "mode") return { begun, values: MODES.filter(begins) };
  if (command === "effort") return { begun, values: ["auto", ...EFFORTS].filter(begins) };
  return { begun, values: (await models()).filter((model) => model.includes(begun)) };
}

/** For the tab key: the values, or commands. */
export const completing =
  (models: () => Promise<readonly string[]>, cwd: string) =>
  (line: string, done: (error: null, found: [string[], string]) => void): void =>
    void valuesBehind(line, models).then(async (found) => {
      if (found) return done(null, [[...found.values], found.begun]);
      const own = line.startsWith("/") ? await ownNames(cwd).catch(() => []) : [];
      const fitting = own.map(({ name }) => `/${name}`).filter((word) => word.startsWith(line));
      done(null, [[...new Set([...completions(line), ...fitting])], line]);
    });
