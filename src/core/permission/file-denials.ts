/**
 * Files that deny rules close. `deny read_file(.env)` means the file and not the one tool: `grep` leaves it out, `cat` is
 * refused. `write_file` and `edit_file` rules also hold for each other and for the files that a shell line writes. A program that
 * opens the file by itself cannot be seen through: deny the program.
 */
import { pathPattern } from "../path-pattern.ts";
import { relativeTo, resolvePath } from "../paths.ts";
import { type Command, programOf } from "../shell/command.ts";
import { type Place, pathsOf, physical } from "../shell/places.ts";
import type { Word } from "../shell/plain.ts";
import { inputsOf, writesOf } from "../shell/readonly.ts";
import { concerns, fitsPath, type Rule } from "./rule.ts";

type Use = "read" | "write";

const TOOLS: Readonly<Record<Use, readonly string[]>> = {
  read: ["read_file"],
  write: ["write_file", "edit_file"],
};

/** The deny rules that close files for this use. */
export const fileDenials = (rules: readonly Rule[], use: Use): readonly Rule[] =>
  rules.filter(
    (rule) =>
      rule.effect === "deny" && rule.match !== undefined && TOOLS[use].some((tool) => concerns(rule, tool)),
  );

/** The rule that closes a path, by its name or by where its links lead. */
export function denialFor(
  rules: readonly Rule[],
  path: string,
  place: Place,
  folder = place.workspace,
): Rule | undefined {
  const { workspace, home, disk } = place;
  const names = new Set([resolvePath(folder, path), physical(path, folder, disk)]);
  return rules.find((rule) => [...names].some((name) => fitsPath(rule, name, workspace, home)));
}

/** Programs that show, copy or send what they are given. */
const SHOWS =
  /^(?:cat|tac|nl|head|tail|less|more|bat|batcat|[ef]?grep|rg|ag|ack|sed|[gm]?awk|cut|sort|uniq|comm|diff|cmp|paste|fold|expand|column|rev|strings|od|xxd|hexdump|base64|base32|jq|yq|tr|source|\.|cp|mv|ln|dd|install|tar|zip|gzip|scp|rsync|curl|wget|nc|openssl)$/;
const GIT_SHOWS = /^(?:show|diff|grep|blame|annotate|cat-file|hash-object|log)$/;
/** Their first operand is a pattern or a program. */
const TEXT_FIRST = /^(?:[ef]?grep|rg|ag|ack|sed|[gm]?awk|jq|yq|tr)$/;
const RECURSES = /^(?:rg|ag|ack)$/;
const PACKS = /^(?:tar|zip|rsync)$/;
const CHANGES = /^(?:tee|touch|truncate|rm|rmdir|unlink|shred|mv|chmod|chown)$/;
const FILLS = /^(?:cp|ln|install|rsync|scp)$/;
const GIT_CHANGES = /^(?:rm|mv|restore|checkout|clean)$/;

/** The deny rule for files that the commands violate, in any of the folders they may run in. */
export function violatedBy(
  rules: readonly Rule[],
  commands: readonly Command[],
  place: Place,
): Rule | undefined {
  const reading = fileDenials(rules, "read");
  const writing = fileDenials(rules, "write");
  if (reading.length + writing.length === 0) return undefined;
  const folders = foldersOf(commands, place);
  const find = (closed: readonly Rule[], words: readonly Word[]): Rule | undefined => {
    if (closed.length === 0) return undefined;
    for (const word of words)
      for (const folder of folders)
        for (const path of namesOf(word, folder, place)) {
          const rule = denialFor(closed, path, place, folder);
          if (rule) return rule;
        }
    return undefined;
  };
  for (const command of commands) {
    const rule =
      find(reading, [...shown(command), ...inputsOf(command)]) ??
      find(writing, [...changed(command), ...writesOf(command)]);
    if (rule) return rule;
  }
  return undefined;
}

/** The rule that a command may violate without naming the file: by a pattern, a whole folder or an unknown word. */
export function couldViolate(rules: readonly Rule[], command: Command, place: Place): Rule | undefined {
  const reading = fileDenials(rules, "read");
  const name = programOf(command);
  if (reading.length === 0) return undefined;
  if (!command.known || inputsOf(command).some(isUnknown)) return reading[0];
  if (!SHOWS.test(name)) return undefined;
  const words = shown(command);
  if (words.some(isUnknown)) return reading[0];
  const args = command.words.slice(1);
  const isSearch = RECURSES.test(name);
  const recursive =
    isSearch ||
    PACKS.test(name) ||
    args.some(({ text }) => /^-[a-zA-Z]*[rRa]|^--(?:dereference-)?recursive$|^--archive/.test(text));
  const hidden = args.some(({ text }) => /^-\w*[u.]|^--(?:hidden|unrestricted|no-ignore)/.test(text));
  const named = words.flatMap(({ text }) => (text.startsWith("-") ? [] : [text]));
  const roots = named.length > 0 ? named : ["."];
  const patterns = [
    ...(recursive ? roots.map((root) => `${root}/**`) : []),
    ...words.flatMap(({ glob }) => glob ?? []),
  ];
  return reading.find((rule) =>
    patterns.some(
      (pattern) =>
        !(isSearch && !hidden && isHidden(rule)) &&
        patternsOverlap(
          relativeTo(place.workspace, resolvePath(place.workspace, pattern)),
          ruleText(rule, place),
        ),
    ),
  );
}

const isUnknown = ({ text, exact }: Word): boolean => !exact || text.includes("{}");

function operands(command: Command): readonly Word[] {
  const words = command.words.slice(1);
  const isText =
    TEXT_FIRST.test(programOf(command)) && !words.some(({ text }) => /^-\w*e$|^--regexp/.test(text));
  const first = words.findIndex(({ text }) => !text.startsWith("-"));
  return words.filter((_, i) => !(isText && i === first));
}

function shown(command: Command): readonly Word[] {
  const name = programOf(command);
  if (name === "git") return gitOperands(command, GIT_SHOWS);
  return SHOWS.test(name) ? operands(command) : [];
}

/** The words after the verb, wherever it is among git's own options. */
function gitOperands({ words }: Command, verbs: RegExp): readonly Word[] {
  const at = words.findIndex(({ text }, i) => i > 0 && verbs.test(text));
  return at === -1 ? [] : words.slice(at + 1);
}

export function changed(command: Command): readonly Word[] {
  const name = programOf(command);
  const words = command.words.slice(1);
  if (name === "git") return gitOperands(command, GIT_CHANGES);
  if (CHANGES.test(name) || (/^(?:sed|perl)$/.test(name) && words.some(({ text }) => /^-\w*i/.test(text))))
    return words;
  if (name === "dd")
    return words.flatMap((word) =>
      word.text.startsWith("of=") ? { ...word, text: word.text.slice(3) } : [],
    );
  return FILLS.test(name) ? words.slice(-1) : [];
}

/** The paths a word may name: itself, its glob on the disk, and the text after `--file=`, `if=`, `-f`, `@`, `HEAD:`. */
function namesOf(word: Word, folder: string, place: Place): readonly string[] {
  const { text } = word;
  const inner = [/^[^=]*=@?(.+)$/s, /^-\w(.+)$/s, /^[^:]*:(.+)$/s, /^@(.+)$/s].flatMap(
    (form) => form.exec(text)?.[1] ?? [],
  );
  const found = word.glob === undefined ? [] : (pathsOf(word, folder, place) ?? []);
  return [...(text.startsWith("-") ? [] : [text]), ...inner, ...found].map((name) =>
    place.home === undefined ? name : name.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, place.home),
  );
}

const MOST_FOLDERS = 16;

/** Every folder that a line may be in at some time. */
export function foldersOf(commands: readonly Command[], { workspace }: Place): readonly string[] {
  const folders = new Set([workspace]);
  for (const command of commands)
    if (/^(?:cd|pushd)$/.test(programOf(command)) && folders.size < MOST_FOLDERS)
      for (const folder of [...folders]) folders.add(resolvePath(folder, command.words[1]?.text ?? "."));
  return [...folders];
}

/** A rule's pattern as seen from the workspace. */
function ruleText({ match = "" }: Rule, { workspace, home }: Place): string {
  const pattern = match.replace(/^~(?=\/)/, home ?? "~").replace(/^(?:\.\/)+/, "");
  return pattern.startsWith("/") ? relativeTo(workspace, pattern) : pattern;
}

const isWild = (part: string): boolean => /[*?[{]/.test(part);
const isHidden = ({ match = "" }: Rule): boolean => match.split("/").some((part) => /^\.[^./]/.test(part));

/** Whether two patterns may fit the same path. Says yes in doubt. */
export function patternsOverlap(shell: string, closed: string): boolean {
  const a = shell.split("/").filter((part) => part !== "." && part !== "");
  const b = closed.split("/").filter((part) => part !== "." && part !== "");
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const [one = "", other = ""] = [a[i], b[i]];
    if (one === "**" || other === "**") break;
    if (!isWild(other) && !fitsName(one, other)) return false;
    if (isWild(other) && !isWild(one) && !pathPattern(other).test(one)) return false;
  }
  const [last = "", name = ""] = [a.at(-1), b.at(-1)];
  if (last !== "**" && !isWild(name)) return fitsName(last, name);
  return a.includes("**") || b.includes("**") || a.length === b.length;
}

/** As in a shell: a pattern fits a name with a leading dot only if it begins with one. */
const fitsName = (pattern: string, name: string): boolean =>
  pattern === name ||
  (isWild(pattern) && (!name.startsWith(".") || pattern.startsWith(".")) && pathPattern(pattern).test(name));
