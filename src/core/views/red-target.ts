/** The words about a target on which the gate fails, and about gates that are red and green on the same files. */

import type { FactOf } from "../event.ts";
import { type BaseVerdict, redWords } from "../gate/red-target.ts";
import type { Picture } from "../picture/picture.ts";
import { counted, type Tone, type View } from "./view.ts";

const VERDICTS: Readonly<Record<BaseVerdict, (base: FactOf<"base.judged">) => readonly [string, Tone]>> = {
  green: ({ target, commit }) => [`the gate succeeds on ${target} (${commit.slice(0, 9)})`, "dim"],
  flaky: ({ target, commit, names }) => [
    `the gate failed on ${target} (${commit.slice(0, 9)}), and then succeeded without a change${namesIn(names)}`,
    "warn",
  ],
  red: (base) => [
    `${redWords(base)} ${base.repair === null ? "Landings wait until somebody repairs it." : `#${base.repair} repairs it.`}`,
    "bad",
  ],
};

export const BASE_SENTENCES = {
  "base.judged": (base: FactOf<"base.judged">) => [null, ...VERDICTS[base.verdict](base)] as const,
  "gate.flaky": ({ by, task, command, names }: FactOf<"gate.flaky">) =>
    [
      by,
      `had a gate that was red and then green on the same files of #${task} (${command})${namesIn(names)}`,
      "warn",
    ] as const,
};

const NAMES_SHOWN = 3;
const namesIn = (names: readonly string[]): string =>
  names.length === 0 ? "" : `: ${names.slice(0, NAMES_SHOWN).join(", ")}`;

/** What a picture knows of it. */
type RedNow = Pick<Picture, "redBase"> & {
  readonly tasks: ReadonlyMap<
    number,
    { readonly id: number; readonly status: string; readonly owner?: string | null }
  >;
  readonly members: ReadonlyMap<string, { readonly reason?: string | null }>;
};

/** The sentence as a view above others. */
export const redViews = (red: string | undefined): View[] =>
  red === undefined ? [] : [{ kind: "figures", figures: [{ label: "red target", text: red, tone: "bad" }] }];

/** "main is red since …: 3 tests fail without any task. alice repairs it; 4 landings wait." Null while the target is not red. */
export function redBaseNow({ redBase, tasks, members }: RedNow): string | null {
  if (!redBase) return null;
  const repair = redBase.repair === null ? undefined : tasks.get(redBase.repair);
  const who =
    repair?.status === "in_progress" && repair.owner
      ? `${repair.owner} repairs it`
      : repair?.status === "pending"
        ? `#${repair.id} repairs it`
        : "Nobody repairs it";
  const waiting = [...members.values()].filter((one) => one.reason === "awaiting_base").length;
  return `${redWords(redBase)} ${who}; ${counted(waiting, "landing")} ${waiting === 1 ? "waits" : "wait"}.`;
}
