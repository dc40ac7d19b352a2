/**
 * Files that deny rules close. `deny read_file(.env)` means the file and not the one tool: `grep` leaves it out, `cat` is
 * refused. `write_file` and `edit_file` rules also hold for each other and for the files that a shell line writes. A program that
 * opens the file by itself cannot be seen through: the sandbox covers the file, and without one the program must be denied.
 */
import type { ClosedPatterns } from "../paths/closed-files.ts";
import { spelledPath } from "../paths/path-pattern.ts";
import { isWithin, resolvePath } from "../paths/paths.ts";
import type { Command } from "../shell/command.ts";
import type { Folders } from "../shell/folders.ts";
import { type Place, pathsOf, physical } from "../shell/places.ts";
import { inputsOf, programOf, type Word, writesOf } from "../shell/plain.ts";
import { fitsPath, isAbout, type Rule } from "./rule.ts";

export type Use = "read" | "write";

/** The deny rules that close files for this use. */
export const fileDenials = (rules: readonly Rule[], use: Use): readonly Rule[] =>
  rules.filter((rule) => rule.effect === "deny" && rule.match !== undefined && isAbout(rule, use));

/** The same as patterns, for a sandbox to cover what they close. */
export const closedPatterns = (rules: readonly Rule[]): ClosedPatterns => ({
  read: fileDenials(rules, "read").flatMap(({ match }) => match ?? []),
  write: fileDenials(rules, "write").flatMap(({ match }) => match ?? []),
});

/**
 * The rule that closes a path: by its name or by where its links lead, in whatever case it is written, and as the same file of
 * another checkout of the project.
 */
export function denialFor(
  rules: readonly Rule[],
  path: string,
  place: Place,
  folder = place.workspace,
): Rule | undefined {
  if (rules.length === 0) return undefined;
  const { disk } = place;
  const workspace = folded(place.workspace);
  const home = place.home === undefined ? undefined : folded(place.home);
  const names = new Set(
    [resolvePath(folder, path), physical(path, folder, disk)].flatMap((name) =>
      inEachCheckout(folded(name), workspace),
    ),
  );
  return rules.find(
    (rule) =>
      [...names].some((name) =>
        fitsPath({ ...rule, match: folded(rule.match ?? "") }, name, workspace, home),
      ) || isSameFile(rule, resolvePath(folder, path), place),
  );
}

/** Whether a path is another name of the one file that a rule names: a hard link, or the target of a link there. */
function isSameFile({ match = "" }: Rule, path: string, { workspace, home, disk }: Place): boolean {
  const spelled = spelledPath(match);
  if (!disk?.isSame || spelled === null) return false;
  const named = resolvePath(workspace, spelled.replace(/^~(?=\/)/, home ?? "~"));
  const [project = workspace] = workspace.split(CHECKOUTS);
  return [named, named.replace(workspace, () => project)].some((one) => disk.isSame?.(one, path) === true);
}

/** Some file systems take names for the same that differ in case or in how their characters are composed. */
const folded = (text: string): string => text.normalize("NFC").toLowerCase();

const CHECKOUTS = "/.ekiden/worktrees/";

/** A path, and the same file as seen from the project and from the worktree that is worked in. */
function inEachCheckout(path: string, workspace: string): string[] {
  const at = workspace.indexOf(CHECKOUTS);
  const project = at === -1 ? workspace : workspace.slice(0, at);
  if (!isWithin(project, path)) return [path];
  const below = path.slice(project.length);
  // A worktree is named by its task, or by its team and its task.
  const [, ...parts] = below.startsWith(CHECKOUTS) ? below.slice(CHECKOUTS.length).split("/") : [];
  const inside = below.startsWith(CHECKOUTS)
    ? [parts, parts.slice(1)].map((names) => `/${names.join("/")}`)
    : [below];
  return [path, ...inside.flatMap((one) => [`${workspace}${one}`, `${project}${one}`])];
}

/** Programs that use a name and not what is in the file. Any other one may read each file that it is given. */
const NAMES_ONLY =
  /^(?:echo|printf|ls|tree|test|\[\[?|stat|find|fdfind|fd|du|touch|mkdir|rm|rmdir|unlink|chmod|chown|cd|pushd|basename|dirname|realpath|readlink|export|set)$/;
const GIT_WHOLE = /^(?:log|whatchanged|reflog|stash|format-patch|archive|fast-export)$/;
const GIT_ALWAYS = /^(?:format-patch|archive|fast-export)$/;
const GIT_SHOWS = /^(?:show|diff|grep|blame|annotate|cat-file|hash-object|log)$/;
/** Their first operand is a pattern or a program. */
const TEXT_FIRST = /^(?:[ef]?grep|rg|ag|ack|sed|[gm]?awk|jq|yq|tr)$/;
const RECURSES = /^(?:rg|ag|ack)$/;
const PACKS = /^(?:tar|zip|rsync)$/;
/** They read all of a folder where they are told to. */
const MAY_RECURSE = /^(?:[ef]?grep|diff|cp|scp)$/;
const RECURSIVE = /^-[a-zA-Z]*[rRa]|^--(?:dereference-)?recursive$|^--archive/;
const CHANGES = /^(?:tee|touch|truncate|rm|rmdir|unlink|shred|mv|chmod|chown)$/;
const FILLS = /^(?:cp|ln|install|rsync|scp)$/;
const GIT_CHANGES = /^(?:rm|mv|restore|checkout|clean)$/;

/** The deny rule for files that the commands violate, in any of the folders they may run in. */
export function violatedBy(
  rules: readonly Rule[],
  commands: readonly Command[],
  place: Place,
  at: (command: Command) => Folders,
): Rule | undefined {
  const reading = fileDenials(rules, "read");
  const writing = fileDenials(rules, "write");
  if (reading.length + writing.length === 0) return undefined;
  const find = (closed: readonly Rule[], words: readonly Word[], command: Command): Rule | undefined => {
    if (closed.length === 0) return undefined;
    for (const word of words)
      for (const folder of at(command).all)
        for (const path of namesOf(word, folder, place)) {
          const rule = denialFor(closed, path, place, folder);
          if (rule) return rule;
        }
    return undefined;
  };
  for (const command of commands) {
    const rule =
      find(reading, [...shown(command), ...inputsOf(command)], command) ??
      find(writing, [...changed(command), ...writesOf(command)], command);
    if (rule) return rule;
  }
  return undefined;
}

/** The rule that a command may violate without naming the file: by a pattern, a whole folder or an unknown word. */
export function couldViolate(rules: readonly Rule[], command: Command, place: Place): Rule | undefined {
  const reading = fileDenials(rules, "read");
  const name = programOf(command);
  if (reading.length === 0) return undefined;
  if (!command.known) return reading[0];
  if (name === "git") return reading.find((rule) => mayPrint(command, rule, place));
  // The sandbox covers the files, but not what git keeps of them.
  if (place.confined) return undefined;
  if (inputsOf(command).some(isUnknown)) return reading[0];
  const words = shown(command);
  const paths = words.map((word) => pathsOf(word, place.workspace, place));
  if (words.some(isUnknown) || paths.includes(null)) return reading[0];
  const args = command.words.slice(1).map(({ text }) => text);
  const isSearch = RECURSES.test(name);
  const recurses = MAY_RECURSE.test(name) && args.some((text) => RECURSIVE.test(text));
  if (!isSearch && !PACKS.test(name) && !recurses) return undefined;
  const hidden = args.some((text) => /^-\w*[u.]|^--(?:hidden|unrestricted|no-ignore)/.test(text));
  const named = paths.flatMap((some) => some ?? []).filter((path) => !path.startsWith("-"));
  const roots = named.length > 0 ? named : ["."];
  return reading.find(
    (rule) => !(isSearch && !hidden && isHidden(rule)) && roots.some((root) => meets(root, rule, place)),
  );
}

const GIT_PATCH = /^-[puLSG]|^-U\d|^-c$|^--(?:patch|unified|cc|word-diff|full-diff|pickaxe|ext-diff)/;
/** Whether git prints all that files held, unless it is given paths that the rule does not close. No cover reaches the objects. */
function mayPrint({ words }: Command, rule: Rule, place: Place): boolean {
  const at = words.findIndex(({ text }, i) => i > 0 && GIT_WHOLE.test(text));
  const verb = words[at]?.text ?? "";
  const rest = words.slice(at + 1);
  const prints = GIT_ALWAYS.test(verb) || rest.some(({ text, exact }) => !exact || GIT_PATCH.test(text));
  if (at === -1 || !prints) return false;
  const end = rest.findIndex(({ text }) => text === "--");
  const paths = end === -1 ? [] : rest.slice(end + 1);
  return (
    paths.length === 0 ||
    paths.some(({ text, exact }) => !exact || text.startsWith(":") || meets(text, rule, place))
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
  return NAMES_ONLY.test(name) ? [] : operands(command);
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

const isHidden = ({ match = "" }: Rule): boolean => match.split("/").some((part) => /^\.[^./]/.test(part));

/** Whether a rule may close paths of a pattern, or paths below them. In doubt yes: only the text before a wildcard counts. */
function meets(text: string, { match = "" }: Rule, { workspace, home = "~" }: Place): boolean {
  const [path = "", closed = ""] = [text, match].map((one) =>
    resolvePath(workspace, one.replace(/^~(?=\/)/, home).replace(/[^/]*[*?[{].*$/s, "")),
  );
  return isWithin(path, closed) || isWithin(closed, path);
}
