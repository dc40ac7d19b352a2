/**
 * The branch of a pull request on the remote, and how it is known as that of one task: by the trailer in its commits. Its name has no time
 * in it, unlike that of a parked branch, so a branch of another board may have it.
 */
import type { Name } from "../../../core/ids.ts";
import type { Key } from "../bindings.ts";
import type { Git } from "../git.ts";
import type { TaskBranch } from "./task-branch.ts";

/** Boards count from 1 again, and a remote serves many: the time of creation makes a branch of one task only. */
export const stamped = (slug: string, { createdAt }: Pick<Key, "createdAt">): string =>
  [slug, createdAt.toString(36)].filter(Boolean).join("-");

const TRAILER = "Ekiden-Task";
/** A person or the forge may have added commits. */
const COMMITS_MAX = 20;

export const trailerOf = (team: Name, { id, createdAt }: Key): string =>
  `${team}/${id}/${createdAt.toString(36)}`;

export async function carries(git: Git, project: string, tip: string, trailer: string): Promise<boolean> {
  const format = `--format=%(trailers:key=${TRAILER},valueonly)`;
  const log = await git.ask(project, "log", `-${COMMITS_MAX}`, "--first-parent", format, tip);
  return log?.split("\n").some((line) => line.trim() === trailer) ?? false;
}

/** The message with the trailer; null where it has it. */
export function withTrailer(message: string, trailer: string): string | null {
  const line = `${TRAILER}: ${trailer}`;
  const text = message.trimEnd();
  if (text.split("\n").includes(line)) return null;
  const [, last = ""] = /\n\n((?:.+\n?)+)$/.exec(text) ?? [];
  const isBlock = last !== "" && last.split("\n").every((one) => /^[A-Za-z][A-Za-z-]*: \S/.test(one));
  return `${text}${isBlock ? "\n" : "\n\n"}${line}`;
}

/** The name of the local branch without the time of the task. */
const plainOf = (branch: string, task: Key): string => {
  const stamp = stamped("", task);
  return branch.endsWith(`-${stamp}`) ? branch.slice(0, -stamp.length - 1) : branch.replace(/-$/, "");
};

type Where = Pick<TaskBranch, "git" | "project" | "branch"> & { readonly trailer: string };

/** A name that is free or of this task. `known`: that of an earlier request. `tips`: of the remote. */
export async function requestBranch(
  { git, project, branch, trailer }: Where,
  task: Key,
  known: string | undefined,
  tips: (pattern: string) => Promise<ReadonlyMap<string, string>>,
): Promise<{ readonly name: string; readonly tip: string | null }> {
  const plain = plainOf(branch, task);
  const there = await tips(`refs/heads/${plain}*`);
  const at = (name: string): string | null => there.get(`refs/heads/${name}`) ?? null;
  if (known !== undefined) return { name: known, tip: at(known) };
  for (let nth = 1; ; nth += 1) {
    const name = nth === 1 ? plain : `${plain}-${nth}`;
    const tip = at(name);
    if (tip === null || (await carries(git, project, tip, trailer))) return { name, tip };
  }
}
