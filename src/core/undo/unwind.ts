/** How each path gets back to where it was before some changes, while what others did to it since stays. Pure but for the merge. */
import type { Change, PathChange } from "./change.ts";

/** A file as it is. `null`: nothing is there. "other": a folder, a device, or a way through a link. */
export type State<C> = { readonly mode: string; readonly content: C } | null | "other";
export type Target<C> = {
  readonly root: string;
  readonly path: string;
  readonly now: Exclude<State<C>, "other">;
  readonly was: Exclude<State<C>, "other">;
};
export type Unwound<C> = {
  readonly targets: readonly Target<C>[];
  /** Paths that were changed since in the same lines: they stay as they are. `root/path`. */
  readonly conflicts: readonly string[];
};

export type Reading<C> = {
  /** The content of a blob. */
  readonly content: (oid: string) => Promise<C>;
  readonly isSame: (one: C, other: C) => boolean;
  readonly now: (root: string, path: string) => State<C>;
  /** The lines of `ours` and `theirs`, which both come from `base`; null where they conflict. */
  readonly merge: (base: C, ours: C, theirs: C) => Promise<C | null>;
};

const LINK = "120000";

/** The newest first, also where a record holds several between which others changed files. */
const rootsOf = (changes: readonly Change[]): Change["roots"] =>
  changes
    .flatMap(({ id, roots }) => roots.map((one) => ({ id, ...one })))
    .toSorted((a, b) => (a.id < b.id ? 1 : Number(a.id > b.id) * -1));

/** `changes`: in any order. */
export async function unwind<C>(changes: readonly Change[], reading: Reading<C>): Promise<Unwound<C>> {
  const states = new Map<string, { root: string; path: string; now: State<C>; was: State<C> }>();
  const conflicts = new Set<string>();
  for (const { root, paths } of rootsOf(changes))
    for (const change of paths) {
      const key = root === "" ? change.path : `${root}/${change.path}`;
      if (conflicts.has(key)) continue;
      const now = reading.now(root, change.path);
      const known = states.get(key) ?? { root, path: change.path, now, was: now };
      const was = await back(known.was, change, reading);
      if (was === "conflict") conflicts.add(key);
      else states.set(key, { ...known, was });
    }
  const targets = [...states].flatMap(([key, { root, path, now, was }]): Target<C>[] => {
    if (conflicts.has(key) || now === "other" || was === "other") return [];
    return isSameState(now, was, reading) ? [] : [{ root, path, now, was }];
  });
  return { targets, conflicts: [...conflicts] };
}

async function back<C>(
  at: State<C>,
  { before, after }: PathChange,
  reading: Reading<C>,
): Promise<State<C> | "conflict"> {
  const load = async (blob: PathChange["before"]): Promise<Exclude<State<C>, "other">> =>
    blob && { mode: blob.mode, content: await reading.content(blob.oid) };
  const [was, became] = [await load(before), await load(after)];
  if (isSameState(at, became, reading)) return was;
  if (isSameState(at, was, reading)) return at;
  if (at === null || at === "other" || was === null || became === null) return "conflict";
  if ([at, was, became].some(({ mode }) => mode === LINK)) return "conflict";
  const content = await reading.merge(became.content, at.content, was.content);
  return content === null ? "conflict" : { mode: at.mode === became.mode ? was.mode : at.mode, content };
}

export function isSameState<C>(
  one: State<C>,
  other: State<C>,
  { isSame }: Pick<Reading<C>, "isSame">,
): boolean {
  if (one === null || other === null || one === "other" || other === "other") return one === other;
  return one.mode === other.mode && isSame(one.content, other.content);
}
