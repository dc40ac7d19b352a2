/**
 * Files that deny rules close. `deny read_file(.env)` means the file and not the one tool: `grep` leaves it out, `cat` is
 * refused. `write_file` and `edit_file` speak for each other and for what a shell line writes. Whatever cannot be seen in a line
 * (a program of one's own that opens the file) stays open: that is what a deny rule for the program is for.
 */
import { pathPattern, relativeTo, resolvePath } from "../paths.ts";
import { writesOf } from "../shell/readonly.ts";
import type { Word } from "../shell/syntax.ts";
import { type Command, programOf } from "../shell/wrappers.ts";
import type { PermissionRequest } from "./mode.ts";
import { concerns, fitsPath, type Rule } from "./rule.ts";

type Use = "read" | "write";
type Where = Pick<PermissionRequest, "workspace" | "home" | "real">;

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
export function denialFor(rules: readonly Rule[], path: string, where: Where): Rule | undefined {
  const { workspace, home, real } = where;
  const full = resolvePath(workspace, path);
  const behind = real?.(full) ?? full;
  return rules.find(
    (rule) =>
      fitsPath(rule, full, workspace, home) || (behind !== full && fitsPath(rule, behind, workspace, home)),
  );
}

/** Programs that show, copy or send what they are given. */
const SHOWS =
  /^(?:cat|tac|nl|head|tail|less|more|bat|batcat|[ef]?grep|rg|ag|ack|sed|[gm]?awk|cut|sort|uniq|comm|diff|cmp|paste|fold|expand|column|rev|strings|od|xxd|hexdump|base64|base32|jq|yq|tr|cp|mv|ln|dd|install|tar|zip|gzip|scp|rsync|curl|wget|nc|openssl)$/;
const GIT_SHOWS = /^(?:show|diff|grep|blame|annotate|cat-file)$/;
/** Their first operand is a pattern or a program. */
const TEXT_FIRST = /^(?:[ef]?grep|rg|ag|ack|sed|[gm]?awk|jq|yq|tr)$/;
const RECURSES = /^(?:rg|ag|ack)$/;
const CHANGES = /^(?:tee|touch|truncate|rm|rmdir|unlink|shred|mv|chmod|chown)$/;
const FILLS = /^(?:cp|ln|install|rsync|scp)$/;
const GIT_CHANGES = /^(?:rm|mv|restore|checkout|clean)$/;

/** The deny rule for files that a command breaks, in any of the folders it may stand in. */
export function violatedBy(rules: readonly Rule[], commands: readonly Command[], where: PermissionRequest) {
  const reading = fileDenials(rules, "read");
  const writing = fileDenials(rules, "write");
  if (reading.length + writing.length === 0) return undefined;
  const folders = foldersOf(commands, where);
  const find = (closed: readonly Rule[], words: readonly Word[]): Rule | undefined => {
    for (const { text } of words)
      for (const path of namesIn(text, where.home))
        for (const folder of folders) {
          const rule = denialFor(closed, resolvePath(folder, path), where);
          if (rule) return rule;
        }
    return undefined;
  };
  for (const command of commands) {
    const rule =
      find(reading, [...shown(command), ...inputs(command)]) ??
      find(writing, [...changed(command), ...writesOf(command)]);
    if (rule) return rule;
  }
  return undefined;
}

/** The rule that a command may break without naming the file: by a pattern or a whole folder. */
export function couldViolate(
  rules: readonly Rule[],
  command: Command,
  where: PermissionRequest,
): Rule | undefined {
  const reading = fileDenials(rules, "read");
  if (reading.length === 0 || !SHOWS.test(programOf(command))) return undefined;
  const words = shown(command);
  const args = command.words.slice(1);
  const recursive =
    RECURSES.test(programOf(command)) ||
    args.some(({ text }) => /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive$/.test(text));
  const hidden = args.some(({ text }) => /^-\w*[u.]|^--(?:hidden|unrestricted|no-ignore)/.test(text));
  const named = words.flatMap(({ text }) => (text.startsWith("-") ? [] : [text]));
  const roots = named.length > 0 ? named : ["."];
  const patterns = [
    ...(recursive ? roots.map((root) => `${root}/**`) : []),
    ...words.filter(({ glob }) => glob).map(({ text }) => text),
  ];
  return reading.find((rule) =>
    patterns.some(
      (pattern) =>
        !(RECURSES.test(programOf(command)) && !hidden && isHidden(rule)) &&
        patternsOverlap(
          relativeTo(where.workspace, resolvePath(where.workspace, pattern)),
          ruleText(rule, where),
        ),
    ),
  );
}

function operands(command: Command): readonly Word[] {
  const words = command.words.slice(1);
  const isText =
    TEXT_FIRST.test(programOf(command)) && !words.some(({ text }) => /^-\w*e$|^--regexp/.test(text));
  const first = words.findIndex(({ text }) => !text.startsWith("-"));
  return words.filter((_, i) => !(isText && i === first));
}

function shown(command: Command): readonly Word[] {
  const name = programOf(command);
  if (name === "git") return GIT_SHOWS.test(command.words[1]?.text ?? "") ? command.words.slice(2) : [];
  return SHOWS.test(name) ? operands(command) : [];
}

function changed(command: Command): readonly Word[] {
  const name = programOf(command);
  const words = command.words.slice(1);
  if (name === "git") return GIT_CHANGES.test(words[0]?.text ?? "") ? words.slice(1) : [];
  if (CHANGES.test(name) || (/^(?:sed|perl)$/.test(name) && words.some(({ text }) => /^-\w*i/.test(text))))
    return words;
  if (name === "dd") return words.filter(({ text }) => text.startsWith("of="));
  return FILLS.test(name) ? words.slice(-1) : [];
}

const inputs = ({ redirects }: Command): readonly Word[] =>
  redirects.flatMap(({ op, to }) => (op === "<" || op === "<>" ? [to] : []));

/** What a word may name: itself, or what stands behind `--file=`, `if=`, `-f`, `@`, `HEAD:`. */
function namesIn(text: string, home: string | undefined): string[] {
  const inner = [/^[^=]*=(.+)$/s, /^-\w(.+)$/s, /^[^:]*:(.+)$/s, /^@(.+)$/s].flatMap(
    (form) => form.exec(text)?.[1] ?? [],
  );
  return [...(text.startsWith("-") ? [] : [text]), ...inner].map((name) =>
    home === undefined ? name : name.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home),
  );
}

const MOST_FOLDERS = 16;

/** Every folder that a line may stand in at some time. */
function foldersOf(commands: readonly Command[], { workspace }: Where): readonly string[] {
  const folders = new Set([workspace]);
  for (const command of commands)
    if (programOf(command) === "cd" && folders.size < MOST_FOLDERS)
      for (const folder of [...folders]) folders.add(resolvePath(folder, command.words[1]?.text ?? "."));
  return [...folders];
}

/** A rule's pattern as seen from the workspace. */
function ruleText({ match = "" }: Rule, { workspace, home }: Where): string {
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

/** As a shell fits: a name that begins with a dot only to a pattern that does. */
const fitsName = (pattern: string, name: string): boolean =>
  pattern === name ||
  (isWild(pattern) && (!name.startsWith(".") || pattern.startsWith(".")) && pathPattern(pattern).test(name));
