/** What a forge says of issues and pull requests, as values. Ids are the forge's own. Pure. */
import { badInput } from "../errors.ts";
import { quote } from "../ids.ts";
import { REPOSITORY } from "../settings/forge-fields.ts";

export type Repo = { readonly owner: string; readonly name: string };
/** Null where the account is gone. The id stays with the account; its login may be given to another one. */
export type Author = { readonly id: number; readonly login: string; readonly isBot: boolean } | null;
export type Words = {
  readonly id: number;
  readonly by: Author;
  readonly text: string;
};
/** `replyTo`: the first comment of its thread. `review`: the review that it is of. */
export type LineComment = Words & {
  readonly path: string;
  readonly line: number | null;
  readonly replyTo: number | null;
  readonly review: number | null;
};
/** `state` in upper case: PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED. */
export type ReviewWords = Words & { readonly state: string };
/** `comments`: how many there are, at least. */
export type Issue = Words & {
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly comments: number;
};

/** `mergeState`: clean, blocked, behind, dirty, unstable, unknown and others. `mergeable`: null while the forge finds out. */
export type Request = {
  readonly number: number;
  readonly node: string;
  readonly state: "open" | "closed";
  readonly mergedAs: string | null;
  readonly head: string;
  readonly mergeable: boolean | null;
  readonly mergeState: string;
  readonly updatedAt: string;
  readonly body: string;
  readonly url: string;
};

/** `conclusion` null: it has not ended. `run` and `job`: of the forge's own runner, which can run it again. `said`: by the check itself. */
export type Check = {
  readonly name: string;
  readonly conclusion: string | null;
  readonly run: number | null;
  readonly job: number | null;
  readonly said?: string;
};

/**
 * What was said about a request. `resolved`: the first comments of threads that somebody has resolved. `editors`: who changed a text last, by
 * its id as in `Ask`. Both are read only where there is something to answer.
 */
export type Talk = {
  readonly lines: readonly LineComment[];
  readonly reviews: readonly ReviewWords[];
  readonly comments: readonly Words[];
  readonly resolved: readonly number[];
  readonly editors: ReadonlyMap<string, Author>;
};

export const repoName = ({ owner, name }: Repo): string => `${owner}/${name}`;

/** Reads OWNER/NAME. @throws EkidenError `bad_input` */
export function repoOf(text: string): Repo {
  const [, owner, name] = REPOSITORY.exec(text.trim()) ?? [];
  if (owner === undefined || name === undefined)
    throw badInput(`${quote(text)} is not a repository of a forge. Write OWNER/NAME, such as octo/hello.`);
  return { owner, name };
}

/** Reads the address of a git remote: https://HOST/OWNER/NAME.git, ssh://git@HOST/OWNER/NAME or git@HOST:OWNER/NAME. Null for another one. */
export function remoteRepo(url: string): { readonly host: string; readonly repo: Repo } | null {
  const found =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/([^/]+(?:\/[^/]+)*)\/([^/]+?)(?:\.git)?\/?$/.exec(
      url,
    ) ?? /^(?:[^/@:]+@)?([^/:]+):([^/]+(?:\/[^/]+)*)\/([^/]+?)(?:\.git)?\/?$/.exec(url);
  const [, host, owner, name] = found ?? [];
  return host && owner && name ? { host, repo: { owner, name } } : null;
}
