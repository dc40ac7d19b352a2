/**
 * Files of the commits that candidates are put on, for the look at what the gate runs. Git is asked for each in a process of its own, and
 * the same few are read at each landing. So they are kept for the next ones: what a candidate does not touch is on its commit what it
 * was on its base.
 */
import type { Git } from "../git.ts";

export type Commits = { readonly base: string; readonly commit: string };
type Texts = Map<string, Promise<string | null>>;

/** By commit, the newest last. */
const known = new WeakMap<Git, Map<string, Texts>>();
/** The target, and what gates in advance build on. */
const COMMITS_MAX = 16;
const FILES_MAX = 100;
const TEXT_MAX = 100_000;
/** Not that of a git that could not read. */
const ABSENT = /does not exist in|exists on disk, but not in|: bad file$/m;

/** Reads files of `base`; null where there is none. `touched`: those that are others on `commit`. */
export function keptTexts(
  git: Git,
  project: string,
  { base, commit }: Commits,
  touched: ReadonlySet<string>,
): (path: string) => Promise<string | null> {
  const [before, after] = [textsOf(git, base), textsOf(git, commit)];
  const ask = async (path: string): Promise<string | null> => {
    let isKept = false;
    try {
      const { code, out, err } = await git.try(project, "cat-file", "blob", `${base}:${path}`);
      isKept = code === 0 ? out.length <= TEXT_MAX : ABSENT.test(err);
      return code === 0 ? out : null;
    } finally {
      if (!isKept) for (const texts of [before, after]) texts.delete(path);
    }
  };
  return (path) => {
    const text = before.get(path) ?? ask(path);
    for (const texts of touched.has(path) ? [before] : [before, after])
      if (texts.size < FILES_MAX) texts.set(path, text);
    return text;
  };
}

function textsOf(git: Git, commit: string): Texts {
  const commits = known.get(git) ?? new Map<string, Texts>();
  known.set(git, commits);
  const texts: Texts = commits.get(commit) ?? new Map();
  commits.delete(commit);
  commits.set(commit, texts);
  for (const old of [...commits.keys()].slice(0, -COMMITS_MAX)) commits.delete(old);
  return texts;
}
