/**
 * Programs that only read, with the options that keep them so: one entry a program. It is needed where no sandbox holds a command.
 * An option that writes, runs a program, follows links or takes file names from a file is left out, and so is one that nobody has
 * looked at: in doubt the line is asked about.
 */
import { optionTable, readOptions } from "./options.ts";
import type { Word } from "./plain.ts";

const DIFF_SHORT = "psuwbWazRMCcmU:S:G:l:";
const DIFF = `--patch --no-patch --raw --stat? --numstat --shortstat --summary --name-only --name-status --color? --no-color
  --word-diff? --ignore-all-space --diff-filter= --relative? --exit-code --quiet --no-ext-diff --cached --staged --check
  --abbrev? --unified=`;
const LOG = `iEFPgtrn:L:${DIFF_SHORT}# ${DIFF} --oneline --graph --all --decorate? --max-count= --skip= --since= --after= --until=
  --before= --author= --grep= --merges --no-merges --first-parent --reverse --pretty? --format= --abbrev-commit --date=
  --follow --branches? --tags? --remotes? --left-right --topo-order --count --no-commit-id`;
const GREP = `--color? --include= --exclude= --exclude-dir= --context= --max-count= --regexp= --ignore-case --invert-match
  --line-number --count --files-with-matches --only-matching --quiet --word-regexp --recursive --fixed-strings`;
const REFS = `--sort= --format= --contains= --no-contains= --merged? --no-merged? --points-at= --count= --ignore-case --color?`;

/**
 * Names, operands, options. The operands are `paths`, at most `one` or `two` of them, or `none`; `text` where they are no paths;
 * `first` where the first one is a pattern or a program, unless an option gives it; `listed` where the command would do more
 * unless it was told to list; `words` where each argument is text. An entry continues in lines that are indented.
 */
const TABLE = `
ls paths 1ACFGSUXaBbcdfghiklmnopqrstuvxNQRI:w:T: --all --color? --human-readable --recursive --reverse --sort= --time-style=
  --group-directories-first --block-size= --time= --directory
tree paths adfipshugDFtrUvcxnCANQ -L= -I= -P= --dirsfirst --noreport --gitignore --du --prune --filelimit= --sort= --charset=
cat paths AbenstTuv --number --show-all
head,tail paths fqvzc:n:# --lines= --bytes= --quiet
wc paths clmwL --lines --words --bytes --chars
stat paths ftc: --format= --printf=
du paths abchkmsxS0d:t: --max-depth= --human-readable --summarize
df paths ahHiklPTt:x: --human-readable
basename,dirname text azs: --suffix=
realpath,readlink paths efmqsnz --canonicalize
cut paths nszb:c:d:f: --fields= --delimiter=
nl paths pb:v:w:s:n:i:
tac,rev paths -
comm,cmp two 123zbls
paste paths szd: --delimiters=
join paths izt:1:2:j:o:a:v:e:
fold paths bsw: --width=
shasum paths bta:
md5sum,sha1sum,sha256sum,sha512sum,b2sum,cksum paths btz
base64 one diw: --decode
hexdump,hd paths Cvbcdoxn:s:
xxd one - -p -ps -u -b -i -c= -g= -l= -s=
od paths abcdfiloxsvA:t:N:j:w? --format= --address-radix= --width?
strings paths afn:t:e:# --bytes= --all
column paths txns:c:o: --table --separator= --output-separator=
zcat paths f
gzip listed l
tar paths tvzjJaf --list
shuf one zn: --head-count=
bc one lqs
less,more none RSFXNEi --RAW-CONTROL-CHARS --quit-if-one-screen
diff two abBcdeEipqrstTuwyNnU:C:W:x:F:I:L:# --brief --unified? --color? --side-by-side --new-file
sort paths bdfghiMnRrVuszcCk:t: --key= --field-separator= --numeric-sort --reverse --unique --version-sort
uniq one cdDuizf:s:w: --count
tr text cCdst --delete
seq text ws:f:#
true,false,:,expr,printenv,sleep text -
id text uGgnr
pwd none LP
whoami,nproc,arch,tty,groups,uptime,wait none -
hostname none Is
getconf text a
uname none asnrvmpio --all
free none bkmghtw
lscpu,lsblk,lsb_release,locale none adeirsflmtJ
umask,ulimit none aSHn
jobs none lprs
history none -
which,type,whereis,tput text aftpPbms
pgrep text flaxncu:P:
date text uRId: --date= --utc --iso-8601? --rfc-3339=
file paths bikhN0 --brief
ps text efAFlp:u:C: --sort= --forest --no-headers
ss,netstat none tulnpasmrieox46W
grep,egrep,fgrep first rZEFGPivnclLhHoqswxzabUTIA:B:C:m:e:# ${GREP}
rg first ivnNclwxosSFPUHIupqa0.e:g:t:T:A:B:C:m:M:d:j:r:# --files --hidden --no-ignore --glob= --type= --type-list --sort=
  --json --stats --count --count-matches --max-depth= --max-count= --context= --ignore-case --fixed-strings --multiline
  --no-heading --line-number --color= --only-matching --replace= --files-with-matches --regexp=
fd,fdfind first sigFaHIp0e:t:d:E:S: --extension= --type= --hidden
sed first nErsuze: --quiet --expression=
awk,gawk,mawk,nawk first F:v:
jq first rcesnRSMCja --raw-output --compact-output --slurp
cd one LPe
echo,printf,test,[[,[,set,read,tee words -
exit one -
git status paths sbu?vzno --short --branch --porcelain? --untracked-files? --ignored?
git diff,git diff-index,git diff-files paths ${DIFF_SHORT}# ${DIFF}
git log,git show,git whatchanged,git diff-tree,git range-diff,git stash list,git stash show,git reflog show,git rev-list paths ${LOG}
git reflog none ${LOG}
git shortlog paths snce --since= --until= --all --no-merges --format= --group=
git blame paths welstpfcC?M?L: --porcelain --date=
git describe paths - --tags --all --always --long --abbrev= --dirty?
git rev-parse paths q --show-toplevel --abbrev-ref? --short? --verify --git-dir --is-inside-work-tree --git-common-dir
git ls-files paths cdmostiuzvk --others --cached --modified --deleted --exclude-standard
git ls-tree paths rdtlz --name-only --full-tree
git cat-file paths tspe
git merge-base,git var,git name-rev paths a --all --is-ancestor --fork-point
git grep first nilLcwvhHEFPGoqpWzaIrte:A:B:C:m:# ${GREP} --cached --untracked --name-only
git count-objects,git version none vH
git branch listed arvli ${REFS} --list --all --remotes --verbose --show-current
git tag listed lni ${REFS} --list
git remote none v --verbose
git remote get-url one - --push --all
git worktree list none vz --porcelain
git config one zl --get --get-all --get-regexp --list --show-origin --local --global
git for-each-ref,git show-ref paths - ${REFS} --heads --tags
git symbolic-ref one q --short
git check-ignore,git cherry paths vqn --verbose
`;

const entries = optionTable(TABLE);

const MOST: Readonly<Record<string, number>> = { none: 0, one: 1, two: 2 };

/** With these a test evaluates a subscript. */
const TEST = /^(?!-[vR]$)/;
/** The form that each operand of a program must have, and the least number of them. */
const OPERANDS: Readonly<Record<string, readonly [form: RegExp, least: number]>> = {
  // Other variables may hold secrets.
  printenv: [/^(?:PATH|HOME|USER|SHELL|LANG|LC_\w+|PWD|TERM|TZ|HOSTNAME|LOGNAME|NODE_ENV|CI)$/, 1],
  sleep: [/^\d{1,3}(?:\.\d+)?$/, 1],
  exit: [/^\d{1,3}$/, 0],
  // Anything else would set the clock.
  date: [/^\+/, 0],
  // The letter `e` without a dash shows the environment of every process.
  ps: [/^[auxfw]+$/, 0],
  cd: [/^(?!-$)/, 1],
  // A file of further words.
  strings: [/^(?!@)/, 1],
  // `init` and `reset` run what the terminal's description names.
  tput: [/^(?:cols|lines|colors)$/, 1],
  // Letters without a dash, or an archive that is on no other machine.
  tar: [/^(?:t[vzjJa]*f|[\w@%+./-]*\w\.t[\w.]+)$/, 1],
  "git config": [/\./, 0],
  "git symbolic-ref": [/./, 1],
  "git remote get-url": [/./, 1],
  tee: [/^\/dev\/(?:null|stdout|stderr)$/, 1],
  "[[": [/^[^[$`]*$/, 1],
  test: [TEST, 1],
  "[": [TEST, 1],
  set: [/^(?:[-+][eux]+o?|[-+]o|pipefail|errexit|nounset|xtrace)$/, 1],
  read: [/^(?:-r|[a-z][a-z\d]*)$/, 1],
  // `%n` assigns to a variable, whose subscript would be evaluated.
  printf: [/^(?!-)(?!.*%[^a-zA-Z%]*[hlLqjzt]*n)/s, 1],
};

// Program texts of `sed`, `awk` and `jq` that neither write, nor run a program, nor read further files.
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n]|\\[^\n])*/I?)`;
const TO = String.raw`(?:\s*,\s*(?:[+~]\d+|${ADDRESS}))?`;
/** `s` without `e` and `w`, and `y`: three times the same sign, none of them escaped. */
const REPLACE = String.raw`[sy]([^\s\\\w])(?:\\[^]|(?!\1)[^\\])*\1(?:\\[^]|(?!\1)[^\\])*\1[gpiIM0-9]*`;
const COMMAND = String.raw`(?:[pdqQ=nNhHgGxDPl]\d*|${REPLACE})(?![^\s;}])`;
const SED = new RegExp(String.raw`[\s;{}!]*(?:(?:${ADDRESS}${TO}[\s!]*)?(?:[{}]|${COMMAND})|$)`, "y");

/** Addresses, the commands that print, delete and move lines, `s` and `y`. */
function isHarmlessSed(script: string): boolean {
  for (SED.lastIndex = 0; SED.lastIndex < script.length; ) if (!SED.test(script)) return false;
  return true;
}

/** `>` is a comparison where nothing is printed before it; a pipe, `getline` and `system` start programs or open files. */
const isHarmlessAwk = (script: string): boolean =>
  !/\||getline|system|@|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|\\\n/.test(script.replaceAll("||", "")) &&
  !/print.*>/s.test(script);

/** Modules and data are read from files; the environment may hold secrets. */
const isHarmlessJq = (script: string): boolean =>
  !/\b(?:import|include|env|ENV|modulemeta|input_filename|get_search_list)\b/.test(script);

/** Text that the program runs. */
const SCRIPTS = new Map<string, (script: string) => boolean>([
  ["sed", isHarmlessSed],
  ["jq", isHarmlessJq],
  ...["awk", "gawk", "mawk", "nawk"].map((name) => [name, isHarmlessAwk] as const),
]);

/** Options that give the pattern or the program, or need none. */
const GIVEN = ["e", "--regexp", "--expression", "--files", "--type-list"];
const LISTS = ["l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

/** The words that a program of the table would read as paths; null when the program or an argument is not in it. */
export function pathOperands(name: string, args: readonly Word[]): readonly Word[] | null {
  const entry = entries().get(name);
  if (!entry) return null;
  const { kind } = entry;
  const given = kind === "words" ? { operands: args, doubtful: [], used: NONE } : readOptions(args, entry);
  if (!given) return null;
  const { operands, doubtful, used } = given;
  const isGiven = GIVEN.some((option) => used.has(option));
  const isMany = ({ glob = "" }: Word): boolean => /(?<!\\)[*?[({]/.test(glob);
  const [form = /^/, least = 0] = OPERANDS[name] ?? [];
  const most = MOST[kind];
  const isText = kind === "text" || kind === "words";
  const isFree = isText && form.source === "^";
  if (!isFree && !operands.every(({ exact }) => exact)) return null;
  // A pattern may become several words, and each a name of any form.
  const formed = kind !== "words" || isFree ? [] : operands.slice(0, name === "printf" ? 1 : undefined);
  if (formed.some(({ glob }) => glob !== undefined)) return null;
  if (most !== undefined && (operands.length > most || operands.some(isMany))) return null;
  if (operands.length < least || !operands.every(({ text }) => form.test(text))) return null;
  if (name === "[" && operands.at(-1)?.text !== "]") return null;
  if (kind === "listed" && operands.length > 0 && !LISTS.some((option) => used.has(option))) return null;
  const skipped = kind === "first" && !isGiven ? 1 : 0;
  const [first] = operands;
  if (skipped > 0 && (!first || isMany(first))) return null;
  const isHarmless = SCRIPTS.get(name);
  const scripts = name === "sed" && isGiven ? expressions(args) : [first?.text ?? ""];
  if (isHarmless && !scripts.every(isHarmless)) return null;
  // A pattern shows which names there are.
  if (isText) return operands.filter(({ glob }) => glob !== undefined);
  return [...operands.slice(skipped), ...doubtful];
}
const NONE: ReadonlySet<string> = new Set();

/** The texts that `sed` is given by an option. */
const expressions = (args: readonly Word[]): string[] =>
  args.flatMap(({ text }, i) =>
    /^(?:-[nErsuz]*e|--expression)$/.test(text)
      ? [args[i + 1]?.text ?? ""]
      : (/^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(text)?.[1] ?? []),
  );

const GIT_OPTION = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/;
const GIT_CONFIG =
  /^(?:color\.\w+|core\.quote[pP]ath|advice\.\w+|diff\.(?:context|renames|noprefix)|log\.(?:date|decorate))=[\w-]*$/;

/** The words that git may read as paths, and the folder it is sent to; null when it may do more than read. */
export function gitPaths(
  args: readonly Word[],
): { readonly paths: readonly Word[]; readonly folder: Word | null } | null {
  // A signature is checked by a program that the configuration names.
  if (!args.every(({ text, exact }) => exact && !/%G|signature/.test(text))) return null;
  let folder: Word | null = null;
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? "";
    const value = args[at + 1];
    if (GIT_OPTION.test(text)) continue;
    if (text === "-C" && folder === null && value && value.glob === undefined) folder = value;
    else if (text !== "-c" || !GIT_CONFIG.test(value?.text ?? "")) break;
    at += 1;
  }
  const [verb = "", next = ""] = args.slice(at).map(({ text }) => text);
  if (verb === "--version" && at === args.length - 1) return { paths: [], folder };
  const longer = `git ${verb} ${next}`;
  const isLonger = entries().has(longer);
  const paths = pathOperands(isLonger ? longer : `git ${verb}`, args.slice(at + (isLonger ? 2 : 1)));
  return paths && { paths, folder };
}
