/** Command lines that a person is told to type next: they must act on the same team, store and folder as this one. */
import { realpathSync } from "node:fs";
import { DEFAULT_TEAM, type Name } from "../../core/ids.ts";
import { forkFolder } from "../../project/fork-folder.ts";
import type { Invocation } from "./invocation.ts";

const quoted = (word: string): string =>
  /^[\w./:@%+=,?&-]+$/.test(word) && !/[?&]/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** No password is shown: the person who types the line knows it. */
const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, "$1:…@");

/** The options that the conversation needs to open, also where another process has its lead. */
const MODEL_OPTIONS = { model: "--model", lead: "--lead", baseUrl: "--base-url" } as const;

/** `words`: the command and its arguments; "" for the conversation. */
export function againLine({ cwd, flags }: Invocation, team: Name, words: string): string {
  const models = Object.entries(MODEL_OPTIONS).flatMap(([key, option]) => {
    const value = flags[key as keyof typeof MODEL_OPTIONS];
    return typeof value === "string" && words === "" ? [option, value] : [];
  });
  const here = realpathSync(process.cwd());
  const options = [
    ...models,
    ...([here, forkFolder(here, team)].includes(cwd) ? [] : ["--cwd", cwd]),
    ...(typeof flags.store === "string" ? ["--store", withoutPassword(flags.store)] : []),
    ...(team === DEFAULT_TEAM ? [] : ["--team", team]),
  ];
  return ["ekiden", ...(words === "" ? [] : [words]), ...options.map(quoted)].join(" ");
}
