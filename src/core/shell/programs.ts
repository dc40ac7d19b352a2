/**
 * Programs that only read, with the whole options that keep them so. The table lists what is allowed; an option that writes, runs a
 * program, follows links or takes file names from a file is left out, and so is an option that nobody has looked at.
 */
import { type Options, optionTable, readOptions } from "./options.ts";
import type { Word } from "./plain.ts";
import { isHarmlessAwk, isHarmlessJq, isHarmlessSed } from "./scripts.ts";

export type Reader = {
  readonly options: Options;
  /** The operands that are no paths: all of them, or the first (a pattern or a program, unless an option gives it). */
  readonly text: "none" | "first" | "all";
  /** A further operand would be written to, or be another kind of name. */
  readonly most: number;
  readonly accepts: (operands: readonly string[], args: readonly string[]) => boolean;
};

/** Stands for names that `xargs` or `find -exec` adds: as many as there are. */
export const LISTED: Word = { text: ".", exact: true };

const READERS = new Map<string, () => Reader>();
const any: Reader["accepts"] = () => true;

function reads(
  names: string,
  spec = "",
  text: Reader["text"] = "none",
  accepts: Reader["accepts"] = any,
  most = Number.POSITIVE_INFINITY,
): void {
  let made: Reader | undefined;
  for (const name of names.split(" "))
    READERS.set(name, () => {
      made ??= { options: optionTable(spec), text, accepts, most };
      return made;
    });
}

reads(
  "ls",
  "-1ACFGSUXaBbcdfghiklmnopqrstuvxNQRZ -I= -w= -T= --all --almost-all --author --color? --classify? --directory --file-type --full-time --group-directories-first --human-readable --inode --numeric-uid-gid --no-group --recursive --reverse --size --sort= --time= --time-style= --format= --literal --quote-name --ignore= --hide= --width= --zero --si --block-size=",
);
reads(
  "cat",
  "-AbeEnstTuv --number --show-all --number-nonblank --squeeze-blank --show-ends --show-tabs --show-nonprinting",
);
reads("head tail", "-qvz -c= -n= -# --lines= --bytes= --quiet --silent --verbose");
reads("wc", "-clmwL --lines --words --bytes --chars --max-line-length");
reads("stat", "-ft -c= --format= --printf= --terse --file-system");
reads(
  "du",
  "-abchkmsxS0 -d= -t= --max-depth= --human-readable --summarize --all --total --apparent-size --exclude= --bytes --si",
);
reads("df", "-ahHiklPT -t= -x= --human-readable --type= --total --output?");
reads("basename dirname", "-az -s= --suffix= --multiple --zero", "all");
reads("realpath readlink", "-efmqsnz --canonicalize --no-newline");
reads(
  "cut",
  "-nsz -b= -c= -d= -f= --complement --fields= --delimiter= --characters= --bytes= --output-delimiter= --only-delimited",
);
reads("nl", "-p -b= -v= -w= -s= -n= -i= -h= -f= -d= -l=");
reads("tac", "-br -s=");
reads("rev");
reads("column", "-tnxe -s= -c= -o= -N= -R= -H= --table --separator= --output-separator=");
reads("comm", "-123z --total --check-order --nocheck-order --output-delimiter=", "none", any, 2);
reads("cmp", "-bls -i= -n= --silent --quiet --verbose", "none", any, 2);
reads("paste", "-sz -d= --serial --delimiters=");
reads("fold", "-bs -w= --width= --spaces --bytes");
reads("expand unexpand", "-ai -t= --tabs= --initial --all --first-only");
reads("fmt", "-cstu -w= --width= --split-only --uniform-spacing");
reads("join", "-iz -t= -1= -2= -j= -o= -a= -v= -e= --header --nocheck-order");
reads("shasum", "-bt -a=");
reads("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", "-btz --tag --binary --text");
reads("cksum sum", "-r -s");
reads("base64 base32", "-di -w= --decode --wrap= --ignore-garbage", "none", any, 1);
reads("od", "-vabcdfilosx -A= -t= -j= -N= -S= --address-radix= --format= --skip-bytes= --read-bytes=");
reads("hexdump hd", "-Cvbcdox -n= -s=");
// It reads one option from each word: `-ps` is `-p`.
reads(
  "xxd",
  "-pubiEea -c= -g= -l= -s=",
  "none",
  (_, args) => args.every((arg) => !/^-(?:[a-zA-Z]\D|-)/.test(arg)),
  1,
);
// `@x` is a file with further arguments.
reads("strings", "-af -n= -t= -e= -o -#", "none", ([name = ""]) => !name.startsWith("@"), 1);
reads(
  "diff",
  "-abBcdeEipqrstTuwyNn -U= -C= -W= -x= -F= -I= -L= -# --brief --unified? --context? --color? --side-by-side --ignore-all-space --ignore-space-change --ignore-case --ignore-blank-lines --strip-trailing-cr --suppress-common-lines --width= --label= --report-identical-files --new-file --minimal --text",
  "none",
  any,
  2,
);
reads(
  "sort",
  "-bdfghiMnRrVuszcC -k= -t= --key= --field-separator= --numeric-sort --reverse --unique --version-sort --human-numeric-sort --general-numeric-sort --ignore-case --ignore-leading-blanks --stable --check? --zero-terminated --parallel=",
);
reads(
  "uniq",
  "-cdDuiz -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars=",
  "none",
  any,
  1,
);
reads("tr", "-cCdst --delete --squeeze-repeats --complement --truncate-set1", "all");
reads("seq", "-w -s= -f= -# --separator= --format= --equal-width", "all");
reads("sleep", "", "all", (operands) => operands.every((text) => /^\d{1,3}(?:\.\d+)?$/.test(text)));
reads("true false : expr", "", "all");
reads("pwd", "-LP", "all", any, 0);
reads("whoami nproc arch tty groups", "--all", "all", any, 0);
reads("id", "-uGgnrz", "all");
reads("uname", "-asnrvmpio --all", "all", any, 0);
reads("uptime", "-ps --pretty --since", "all", any, 0);
reads("free", "-bkmghtlw --human --mega --giga --total", "all", any, 0);
reads("lscpu", "", "all", any, 0);
reads("which", "-a", "all");
reads("type", "-aftpP", "all");
reads("printenv", "", "all", (names) => names.length > 0 && names.every((name) => MILD_TO_SHOW.test(name)));
reads("hostname", "-fsdi", "all", any, 0);
reads(
  "date",
  "-uR -I? -d= --date= --utc --universal --iso-8601? --rfc-3339= --rfc-email",
  "all",
  (operands) => operands.every((text) => text.startsWith("+")),
);
reads("file", "-bikhN0 --brief --mime --mime-type --mime-encoding");
reads(
  "tree",
  "-adfFhiugDpsCnJNQrtvcU -I= -P= -L= --dirsfirst --noreport --du --gitignore --prune --si --ignore-case --matchdirs --filelimit= --charset= --sort=",
  "none",
  // A letter after one with a value is a further option.
  (_, args) => args.every((arg) => !/^-[a-zA-Z]*[IPL]\D/.test(arg)),
);
// The letter `e` without a dash shows the environment of every process.
reads("ps", "-efAFl -p= -u= -C= --sort= --forest --no-headers", "all", (operands) =>
  operands.every((text) => /^[auxfw]+$/.test(text)),
);
reads("ss netstat", "-tulnpasmrieox46W", "all", any, 0);
reads("lsof", "-nPt -i?", "all", (operands) => operands.every((text) => /^[\w.]*:\w+$/.test(text)));
reads(
  "unzip zipinfo",
  "-lvZ1h",
  "none",
  (operands, args) => operands.length === 1 && /^-[lvZ1]+$/.test(args[0] ?? ""),
);
// Without an ending it looks for further names.
reads("zcat", "-q", "none", (operands) => operands.every((name) => /\.(?:gz|tgz|Z)$/.test(name)));
const GREP =
  "-EFGPivnclLhHoqswxzabUTI -A= -B= -C= -m= -e= -# --color? --colour? --include= --exclude= --exclude-dir= --context= --after-context= --before-context= --max-count= --regexp= --ignore-case --invert-match --line-number --count --files-with-matches --files-without-match --no-filename --with-filename --only-matching --quiet --silent --no-messages --word-regexp --line-regexp --recursive --fixed-strings --extended-regexp --perl-regexp --basic-regexp --null --text --binary-files= --line-buffered --byte-offset --initial-tab";
reads("grep egrep fgrep", `-rZ ${GREP}`, "first");
reads(
  "rg",
  "-ivnNclwxosSFPUHIupqa0. -e= -g= -t= -T= -A= -B= -C= -m= -M= -d= -j= -r= -# --files --hidden --no-ignore --no-ignore-vcs --no-config --glob= --iglob= --type= --type-not= --type-list --sort= --sortr= --json --stats --count --count-matches --max-depth= --max-count= --max-columns= --max-filesize= --context= --after-context= --before-context= --ignore-case --smart-case --case-sensitive --fixed-strings --multiline --multiline-dotall --no-heading --heading --line-number --no-line-number --column --vimgrep --color= --colors= --trim --only-matching --replace= --word-regexp --line-regexp --files-with-matches --files-without-match --pcre2 --no-messages --null --pretty --invert-match --passthru --regexp= --with-filename --no-filename --one-file-system --quiet --text --unrestricted --threads= --crlf",
  "first",
);
reads(
  "fd fdfind",
  "-sigFaHIp0 -e= -t= -d= -E= -S= --extension= --type= --max-depth= --min-depth= --exclude= --glob --fixed-strings --hidden --no-ignore --ignore-case --case-sensitive --full-path --absolute-path --print0 --size= --color=",
  "first",
);
reads(
  "bat batcat",
  "-pnA -l= -r= --plain --number --show-all --language= --line-range= --style= --color= --decorations= --paging=",
  "none",
  (_, args) => args.every((arg) => !arg.startsWith("--pag") || arg === "--paging=never"),
);
reads(
  "yq",
  "-rPCMN --prettyPrint --no-colors --colors --no-doc --unwrapScalar",
  "first",
  ([first = ""]) => isHarmlessJq(first) && !/load|env|system|split_doc|eval|from_|file/i.test(first),
);
reads(
  "sed",
  "-nErsuz -e= --quiet --silent --regexp-extended --separate --expression=",
  "first",
  ([first = ""], args) => {
    const given = expressions(args);
    return (given.length > 0 ? given : [first]).every(isHarmlessSed);
  },
);
reads("awk gawk mawk nawk", "-F= -v=", "first", ([first = ""]) => isHarmlessAwk(first));
reads(
  "jq",
  "-rcesnRSMCja --raw-output --compact-output --exit-status --slurp --null-input --raw-input --sort-keys --monochrome-output --color-output --join-output --tab --stream --indent=",
  "first",
  ([first = ""]) => isHarmlessJq(first),
);
reads("cd", "-LPe", "none", (operands) => operands.length === 1 && operands[0] !== "-");

const MILD_TO_SHOW = /^(?:PATH|HOME|USER|SHELL|LANG|LC_\w+|PWD|TERM|TZ|HOSTNAME|LOGNAME|NODE_ENV|CI)$/;

/** The texts that `sed` is given by an option. */
const expressions = (args: readonly string[]): string[] =>
  args.flatMap((arg, i) =>
    /^(?:-[nErsuz]*e|--expression)$/.test(arg)
      ? [args[i + 1] ?? ""]
      : (/^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(arg)?.[1] ?? []),
  );

/** Whether the first operand is a pattern or a program. */
const textFirst = (used: ReadonlySet<string>): boolean =>
  !["e", "--regexp", "--expression", "--files", "--type-list"].some((option) => used.has(option));

/** The words that a program of the table would read as paths; null when the program or an argument is not in it. */
export function pathOperands(name: string, args: readonly Word[]): readonly Word[] | null {
  const reader = READERS.get(name)?.();
  if (!reader) return null;
  const given = readOptions(args, reader.options);
  if (!given) return null;
  const { operands, doubtful, used } = given;
  if (reader.text !== "all" && !operands.every(({ exact }) => exact)) return null;
  const texts = operands.map(({ text }) => text);
  const isMany = (word: Word): boolean => word === LISTED || /(?<!\\)[*?[({]/.test(word.glob ?? "");
  if (operands.length > reader.most || (reader.most < Number.POSITIVE_INFINITY && operands.some(isMany)))
    return null;
  const isFirst = reader.text === "first" && textFirst(used);
  if (isFirst && (!operands[0] || isMany(operands[0]))) return null;
  if (
    !reader.accepts(
      texts,
      args.map(({ text }) => text),
    )
  )
    return null;
  // A pattern shows which names there are.
  if (reader.text === "all") return operands.filter(({ glob }) => glob !== undefined);
  return [...operands.slice(isFirst ? 1 : 0), ...doubtful];
}
