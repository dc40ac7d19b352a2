/** One entry of the table of commands. */
import type { Invocation } from "../kit/invocation.ts";
import type { OptionRow } from "./options.ts";

/** A command's code. It returns the exit code, if that is not 0. */
export type Run<Options = never> = (
  call: Invocation,
  args: readonly string[],
  options: Options,
) => Promise<number | undefined>;
export type Code = { readonly run: Run };
export type Entry = {
  /** Name and arguments, as commander writes them. */
  readonly usage: string;
  readonly about: string;
  readonly example: string;
  /** The heading in the help. */
  readonly group: (typeof GROUPS)[number];
  readonly options?: readonly OptionRow[];
  /** Other words for it, for "Did you mean …?". */
  readonly near?: readonly string[];
  readonly load: () => Promise<Code>;
};

export const GROUPS = ["Set a team to work:", "The board:", "The team:", "More:"] as const;

export const inGroup = (group: Entry["group"], entries: readonly Omit<Entry, "group">[]): readonly Entry[] =>
  entries.map((entry) => ({ ...entry, group }));

export const nameOf = ({ usage }: Entry): string => usage.split(" ")[0] as string;
