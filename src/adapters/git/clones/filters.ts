/**
 * Filters that the project configures for its files and that run only where the person agreed. A clean filter may take a password out of
 * a file before it is committed: where such a filter is left out, the file does not land.
 */
import { listed } from "../../../core/text/listed.ts";
import type { Git } from "../git.ts";
import { type Refused, refused } from "../landing/refusal.ts";
import type { TaskBranch } from "./task-branch.ts";

type At = { readonly git: Git; readonly project: string };

/** The names of the filters that change what is committed, and that nobody agreed to. */
async function leftOut({ git, project }: At): Promise<ReadonlySet<string>> {
  const agreed = new Set((await git.agreed(project)).map((pair) => pair.slice(0, pair.indexOf("="))));
  const own = (await git.entries(project)).filter(
    ({ isOwn, key, value }) => isOwn && value !== "" && !agreed.has(key),
  );
  return new Set(own.flatMap(({ key }) => /^filter\.(.*)\.(?:clean|process)$/is.exec(key)?.[1] ?? []));
}

/** Null where no commit since the base has a file with such a filter, as it is or not. Attributes are those of the workspace. */
export async function filterFault(
  { git, project, root, onto }: TaskBranch,
  base: string,
  commit: string,
): Promise<Refused | null> {
  const names = await leftOut({ git, project });
  if (names.size === 0) return null;
  const listing = ["--format=", "--name-only", "-z", "--no-renames", "--diff-filter=d"];
  const named = await git.run(project, "log", ...listing, `${base}..${commit}`);
  const paths = [...new Set(named.split("\0").filter(Boolean))];
  if (paths.length === 0) return null;
  const input = paths.map((path) => `${path}\0`).join("");
  const asked = await git.inside.runWith({ input }, root, "check-attr", "-z", "--stdin", "filter");
  const fields = asked.split("\0"); // the path, "filter", its value, and so on
  const found = paths.filter((_, i) => names.has(fields[3 * i + 2] ?? ""));
  const [filter] = fields.filter((value, i) => i % 3 === 2 && names.has(value));
  if (filter === undefined) return null;
  return refused(
    "branch",
    `${listed(found)} would land as it is: the project has git run the filter "${filter}" on it before a commit, and nobody has agreed to that. Tell the person, who can agree (ekiden trust) and start again. Otherwise take the file out of all commits of the branch: git reset --soft ${onto}, git restore --staged FILE, and move it away.`,
  );
}

/** Tells the person without what tasks begin. `uncommitted`: files of the project. */
export async function tellLeftOut(
  git: Git,
  project: string,
  uncommitted: readonly string[],
  tell: (text: string) => Promise<void>,
): Promise<void> {
  if (uncommitted.length > 0)
    await tell(
      `Tasks start without your uncommitted changes, and a task that changes the same file cannot land until you commit or stash them: ${listed(uncommitted)}.`,
    );
  const names = [...(await leftOut({ git, project }))];
  if (names.length === 0) return;
  await tell(
    `The git configuration of this project has the ${names.length === 1 ? "filter" : "filters"} ${listed(names)}, which you have not agreed to, so tasks do not use it. Files that need a filter do not land. To agree: ekiden trust.`,
  );
}
