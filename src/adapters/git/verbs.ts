/** Kinds of git commands, by what they do. */
import { verbAt } from "./hardening.ts";

/** A command without the options in front of its verb. */
export const lineOf = (args: readonly string[]): string => args.slice(verbAt(args)).join(" ");
/** They have changed nothing when they cannot lock a branch. */
export const LOCKS_BRANCH = /^(?:worktree add|commit|checkout|reset|update-ref|merge) /;
/** They write nothing at all, or only to a scratch folder. */
export const LOOKS =
  /^(?:rev-parse|rev-list|merge-base|status|cat-file|ls-files|ls-tree|for-each-ref|log|show|diff|worktree list|symbolic-ref --quiet|config|var|check-ignore|check-attr|remote get-url|reflog show|version)(?: |$)/;
/** Those of them that start no filter and no other program of a repository, which might write. */
export const READS =
  /^(?:rev-parse|rev-list|merge-base|cat-file --batch-check|ls-files|ls-tree|for-each-ref|worktree list|symbolic-ref --quiet|config|var|remote get-url|version)(?: |$)/;
/** They reach a remote. */
export const REACHES = /^(?:fetch|push|pull|ls-remote)(?: |$)/;
/** They add an object that nothing names. */
const ADDS = /^(?:ls-remote|hash-object|write-tree|commit-tree)(?: |$)/;
/** One that was killed simply runs again. `despiteOthers` is for those that change something. */
export const isRepeatable = (line: string): boolean => LOOKS.test(line) || ADDS.test(line);
/** A `git gc --prune=now` beside a git that writes objects removes the files that it is about to name. */
export const SWEPT = /objects\/\S+.*No such file or directory/;
