/** The forms of `git` that only read, with their options. Options of git itself may name programs (`-c core.pager=…`). */

import { lazy } from "../lazy.ts";
import { type Options, optionTable, readOptions } from "./options.ts";
import type { Word } from "./plain.ts";

const DIFF =
  "-psuwbWazRMCcm -U= -S= -G= -l= --patch --no-patch --raw --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --color? --no-color --word-diff? --color-words? --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --minimal --patience --histogram --diff-algorithm= --find-renames? --find-copies? --find-copies-harder --diff-filter= --pickaxe-regex --pickaxe-all --relative? --exit-code --quiet --no-ext-diff --no-textconv --cached --staged --merge-base --check --full-index --abbrev? --function-context --inter-hunk-context= --no-renames --src-prefix= --dst-prefix= --no-prefix --text --compact-summary --unified= --cc --combined-all-paths --patch-with-stat --no-relative --unified=";
const LOG = `${DIFF} -iEFPgtr -n= -L= -# --oneline --graph --no-graph --all --decorate? --no-decorate --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --merges --no-merges --first-parent --reverse --pretty? --format= --abbrev-commit --no-abbrev-commit --date= --follow --branches? --tags? --remotes? --left-right --left-only --right-only --cherry-pick --cherry-mark --topo-order --date-order --author-date-order --simplify-by-decoration --full-history --relative-date --boundary --source --walk-reflogs --no-walk? --notes? --no-notes --expand-tabs? --root --no-commit-id --count --objects --parents --children --not --no-max-parents --min-parents= --max-parents= --ancestry-path --log-size --show-pulls --max-age= --min-age=`;
const REFS =
  "-i --sort= --format= --contains= --no-contains= --merged? --no-merged? --points-at= --count= --ignore-case --omit-empty --column? --no-column --color? --no-color";

/** `next`: the word after the verb, where git looks for a verb of its own. */
type Check = (operands: readonly string[], used: ReadonlySet<string>, next: string) => boolean;
const any: Check = () => true;
const none: Check = (operands) => operands.length === 0;
const first =
  (pattern: RegExp): Check =>
  ([verb = ""]) =>
    pattern.test(verb);
/** Operands make a new branch or tag unless the command was told to list. */
const listed: Check = (operands, used) =>
  operands.length === 0 ||
  ["l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"].some((one) =>
    used.has(one),
  );

const VERBS: Readonly<Record<string, readonly [string, Check]>> = {
  status: [
    "-sbuvznoal --short --branch --porcelain? --untracked-files? --ignored? --long --column? --show-stash --ahead-behind --no-ahead-behind --no-renames",
    any,
  ],
  diff: [DIFF, any],
  log: [LOG, any],
  show: [LOG, any],
  whatchanged: [LOG, any],
  shortlog: [`${LOG} -scn --numbered --summary --email --group=`, any],
  blame: [
    "-welstpfcMCbn -L= --porcelain --line-porcelain --show-email --show-name --show-number --since= --abbrev= --date= --root --color-lines --color-by-age --ignore-rev= --first-parent",
    any,
  ],
  annotate: ["-L=", any],
  describe: [
    "--tags --all --always --long --abbrev= --match= --exclude= --dirty? --broken? --contains --exact-match --first-parent --candidates= --debug",
    any,
  ],
  "rev-parse": [
    "-q --show-toplevel --abbrev-ref? --short? --verify --quiet --git-dir --is-inside-work-tree --is-inside-git-dir --symbolic --symbolic-full-name --show-prefix --absolute-git-dir --git-common-dir --show-cdup --is-bare-repository --is-shallow-repository --show-superproject-working-tree --all --branches? --tags? --remotes? --show-object-format? --default=",
    any,
  ],
  "rev-list": [LOG, any],
  "ls-files": [
    "-cdmostuvzikf -x= --cached --deleted --modified --others --stage --unmerged --exclude-standard --full-name --error-unmatch --eol --directory --exclude= --abbrev? --ignored --killed --resolve-undo --debug --format= --deduplicate",
    any,
  ],
  "ls-tree": [
    "-rdtlz --name-only --name-status --full-name --full-tree --long --abbrev? --object-only --format=",
    any,
  ],
  "cat-file": ["-tspe", any],
  "merge-base": ["-a --all --is-ancestor --octopus --fork-point --independent", any],
  grep: [
    "-nilLcwvhHEFPGoqpWzaIrt -e= -A= -B= -C= -m= -# --cached --untracked --name-only --files-with-matches --files-without-match --count --line-number --column --ignore-case --word-regexp --fixed-strings --extended-regexp --perl-regexp --basic-regexp --heading --break --show-function --function-context --and --or --not --all-match --max-depth= --max-count= --only-matching --quiet --null --full-name --invert-match --text --color? --no-color --threads= --recursive --no-recursive --exclude-standard --no-exclude-standard",
    any,
  ],
  "count-objects": ["-vH --verbose --human-readable", none],
  "name-rev": ["--tags --name-only --refs= --all --always", any],
  reflog: [LOG, first(/^(?:|show|exists|list|HEAD.*|@.*)$/)],
  branch: [`${REFS} -arvl --list --all --remotes --verbose --show-current`, listed],
  tag: [`${REFS} -ln --list`, listed],
  remote: [
    "-v --verbose --all --push",
    (operands, used) =>
      operands.length === 0 || (operands[0] === "get-url" && operands.length === 2 && !used.has("v")),
  ],
  stash: [LOG, (_, __, next) => /^(?:list|show)$/.test(next)],
  worktree: ["-vz --porcelain --verbose", (operands) => operands[0] === "list" && operands.length === 1],
  config: [
    "-zl --get --get-all --get-regexp --list --show-origin --show-scope --local --global --system --worktree --name-only --null --type= --bool --int --path --includes --no-includes --all --default=",
    (operands, used) =>
      ["--get", "--get-all", "--get-regexp"].some((one) => used.has(one))
        ? operands.length <= 2
        : operands.length === 0 ||
          (operands.length === 1 && /\.|^list$/.test(operands[0] ?? "")) ||
          (operands.length === 2 && operands[0] === "get"),
  ],
  "for-each-ref": [`${REFS} --exclude=`, any],
  "show-ref": ["-dsq --heads --branches --tags --head --verify --hash? --abbrev? --dereference --quiet", any],
  "symbolic-ref": ["-q --short --quiet", (operands) => operands.length === 1],
  "show-branch": [
    "-ar --all --remotes --current --list --no-name --sha1-name --topics --merge-base --independent",
    any,
  ],
  "check-ignore": ["-vqn --verbose --quiet --non-matching --no-index", any],
  "check-attr": ["-a --all --cached", any],
  "diff-tree": [LOG, any],
  "diff-index": [DIFF, any],
  "diff-files": [DIFF, any],
  "range-diff": [`${LOG} --creation-factor= --no-dual-color`, any],
  cherry: ["-v --verbose --abbrev?", any],
  var: ["-l", any],
  version: ["--build-options", none],
};
const tables = new Map<string, () => Options>(
  Object.entries(VERBS).map(([verb, [spec]]) => [verb, lazy(() => optionTable(spec))]),
);
const GLOBAL = lazy(() => optionTable(""));

const PLAIN_GLOBAL = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/;
const PLAIN_CONFIG =
  /^(?:color\.\w+|core\.quote[pP]ath|advice\.\w+|diff\.(?:context|renames|noprefix)|log\.(?:date|decorate|abbrevCommit|follow))=[\w-]*$/;

/** The words that git may read as paths, and the folder it is sent to; null when it may do more than read. */
export function gitPaths(
  args: readonly Word[],
): { readonly paths: readonly Word[]; readonly folder: Word | null } | null {
  if (!args.every(({ exact }) => exact)) return null;
  let folder: Word | null = null;
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? "";
    if (PLAIN_GLOBAL.test(text)) continue;
    if (text === "-c" && PLAIN_CONFIG.test(args[at + 1]?.text ?? "")) at += 1;
    else if (text === "-C" && folder === null && args[at + 1] && args[at + 1]?.glob === undefined) {
      folder = args[at + 1] ?? null;
      at += 1;
    } else break;
  }
  const verb = args[at]?.text ?? "";
  if (verb === "--version" && at === args.length - 1) return { paths: [], folder };
  const [, check] = Object.hasOwn(VERBS, verb) ? (VERBS[verb] ?? []) : [];
  const given = readOptions(args.slice(at + 1), (tables.get(verb) ?? GLOBAL)());
  if (!check || !given) return null;
  const operands = given.operands.map(({ text }) => text);
  // A signature is checked by a program that the configuration names; `--` may hide what looks like an option from git's verbs.
  if (args.some(({ text }) => /%G|signature/.test(text))) return null;
  if (!check(operands, given.used, args[at + 1]?.text ?? "")) return null;
  // A pattern may become several words, and a second one be written.
  if (check !== any && check !== listed && given.operands.some(({ glob }) => glob !== undefined)) return null;
  const isPattern = verb === "grep" && !given.used.has("e");
  return { paths: [...given.operands.slice(isPattern ? 1 : 0), ...given.doubtful], folder };
}
