/**
 * The diff of a candidate, as it is read for signals. Of a change that is too large only the files that judge are read, then the code, as far
 * as there is room; the others stand there as binary, so that nobody hides a change of a test behind a large file.
 */
import { judgingKind } from "../../../core/gate/judging.ts";
import type { Git } from "../git.ts";

/** In characters. */
export const DIFF_MAX = 2_000_000;
/** Lines that are read of a larger one. */
const LINES_MAX = 20_000;
const FILES_MAX = 1_000;
/** Git takes a larger file for binary. */
const AS_TEXT = ["-c", "core.bigFileThreshold=1m"];
const FLAGS = ["--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"];
/** Whatever the person has set for the diffs that they read. */
const SHAPE = [
  "--unified=3",
  "--inter-hunk-context=0",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
];
/** A command of git whose output is read for signals. */
export const DIFF: readonly string[] = [...AS_TEXT, "--literal-pathspecs", "diff", ...FLAGS, ...SHAPE];

type Changed = {
  readonly path: string;
  readonly isNew: boolean;
  readonly lines: number;
  readonly judges: boolean;
};

/** All files that change are in it. */
export async function changeDiff(
  git: Git,
  project: string,
  [base, commit]: readonly [string, string],
  judges: readonly string[],
): Promise<string> {
  const diff = (...args: string[]): Promise<string | null> =>
    git
      .run(project, ...DIFF, "--patch", ...args)
      .then((text) => (text.length > DIFF_MAX ? null : text))
      .catch(() => null);
  const all = await diff(base, commit);
  if (all !== null) return all;
  const files = await changedFiles(git, project, [base, commit], judges);
  let sum = 0;
  const read = files.slice(0, FILES_MAX).filter(({ lines }) => {
    sum += lines;
    return sum <= LINES_MAX;
  });
  const text = read.length === 0 ? null : await diff(base, commit, "--", ...read.map(({ path }) => path));
  const isRead = new Set(text === null ? [] : read);
  const rest = files.filter((one) => !isRead.has(one));
  return `${text ?? ""}\n${rest.map(asBinary).join("")}`;
}

/** Those that judge first, small ones before large ones. */
async function changedFiles(
  git: Git,
  project: string,
  commits: readonly [string, string],
  judges: readonly string[],
): Promise<Changed[]> {
  const of = async (what: string): Promise<string[]> =>
    (await git.run(project, ...AS_TEXT, "diff", ...FLAGS, what, "-z", ...commits))
      .split("\0")
      .filter(Boolean);
  const [numbers, came] = [await of("--numstat"), await of("--name-status")];
  const isNew = new Set(came.flatMap((path, nth) => (came[nth - 1] === "A" ? [path] : [])));
  return numbers
    .map((row): Changed => {
      const [added = "0", removed = "0", ...path] = row.split("\t");
      const name = path.join("\t");
      // Of a file that git takes for binary both are "-".
      const lines = (Number(added) || 0) + (Number(removed) || 0);
      return { path: name, isNew: isNew.has(name), lines, judges: judgingKind(name, judges) !== null };
    })
    .sort((a, b) => Number(b.judges) - Number(a.judges) || a.lines - b.lines);
}

const asBinary = ({ path, isNew }: Changed): string => {
  const name = JSON.stringify(`a/${path}`);
  const twin = JSON.stringify(`b/${path}`);
  return `diff --git ${name} ${twin}\n${isNew ? "new file mode 100644\n" : ""}--- ${name}\n+++ ${twin}\nBinary files differ\n`;
};
