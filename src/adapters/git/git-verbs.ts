/** What the commands of git do, by their verb: they read, look, lock a branch, or reach a remote. */
import { verbAt } from "./hardening.ts";

/** A command without the options in front of its verb. */
export const lineOf = (args: readonly string[]): string => args.slice(verbAt(args)).join(" ");
/**
 * They change nothing, or add an object that nothing names, so one that was killed simply runs again. `despiteOthers` is for those
 * that change something.
 */
export const READS =
  /^(?:rev-parse|rev-list|merge-base|status|cat-file|ls-files|ls-tree|ls-remote|for-each-ref|log|show|diff|worktree list|symbolic-ref --quiet|config|var|check-ignore|check-attr|remote get-url|reflog show|hash-object|write-tree|commit-tree|version)(?: |$)/;
/** They have changed nothing when they cannot lock a branch. */
export const LOCKS_BRANCH = /^(?:worktree add|commit|checkout|reset|update-ref|merge) /;
/** They write nothing at all, or only to a scratch folder. */
export const LOOKS =
  /^(?:rev-parse|rev-list|merge-base|status|cat-file|ls-files|ls-tree|for-each-ref|log|show|diff|worktree list|symbolic-ref --quiet|config|var|check-ignore|check-attr|remote get-url|reflog show|version)(?: |$)/;
/** They reach a remote. */
export const REACHES = /^(?:fetch|push|pull|ls-remote)(?: |$)/;
