/** Permission rules: data in settings, and text on a command line, `bash(git status*)`. */
import { badInput } from "../errors.ts";
import { quote } from "../ids.ts";
import { type PathPattern, pathPattern } from "../paths/path-pattern.ts";
import { fits, relativeTo, resolvePath, textPattern } from "../paths/paths.ts";
import type { Command } from "../shell/command.ts";
import { HARMLESS_VARIABLE, programOf, type Word } from "../shell/plain.ts";
import { didYouMean } from "../text/nearest.ts";
import { ourName, RULE_NAMES, TOOL_NAMES } from "../tool-names.ts";

export type Effect = "allow" | "ask" | "deny";

export type Rule = {
  readonly effect: Effect;
  /** A tool's name; `*` in it matches anything. */
  readonly tool: string;
  /** The calls of the tool: a pattern over the command, the path or another subject. Without it, all of them. */
  readonly match?: string;
};

/** A match costs the length of the pattern times that of the text. */
const RULE_MAX = 1_000;

/**
 * Reads a rule as people type it: `bash(git status*)`, `write_file(src/**)`, `bash`, `mcp__files__*`; `Bash(…)` and `Read(…)` mean
 * our tools.
 * @throws EkidenError `bad_input`
 */
export function parseRule(effect: Effect, text: string): Rule {
  const [, tool, match] = /^\s*([\w*.-]+)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (tool === undefined)
    throw badInput(
      `${quote(text)} is not a permission rule. Write a tool and, in brackets, a pattern: bash(git status*), write_file(src/**), bash.`,
    );
  if (text.length > RULE_MAX)
    throw badInput(
      `the permission rule ${quote(text)} has ${text.length} characters; the limit is ${RULE_MAX}. Write a shorter pattern or several rules.`,
    );
  const all = match === undefined || /^\**$/.test(match.trim());
  const ours = ourName(tool);
  checkTool(ours, text);
  return all ? { effect, tool: ours } : { effect, tool: ours, match: match.trim() };
}

/** All deny rules come first, then those that ask, then those that allow. @throws EkidenError `bad_input` */
export const rulesOf = ({ deny, ask, allow }: RuleTexts): Rule[] => [
  ...deny.map((text) => parseRule("deny", text)),
  ...ask.map((text) => parseRule("ask", text)),
  ...allow.map((text) => parseRule("allow", text)),
];

type RuleTexts = Readonly<Record<Effect, readonly string[]>>;

/** A rule for an unknown tool would never match: a typing error in a `deny` must not go unnoticed. */
function checkTool(tool: string, text: string): void {
  // No tool: hosts that commands in the sandbox may reach.
  if (tool === "network") return;
  if (tool.startsWith("mcp__") || TOOL_NAMES.some((name) => textPattern(tool).test(name))) return;
  if (tool.includes("*") && textPattern(tool).test("mcp__")) return;
  throw badInput(
    `the permission rule ${quote(text)} names an unknown tool.${didYouMean(tool, TOOL_NAMES)} The tools: ${[...TOOL_NAMES].sort().join(", ")}, mcp__SERVER__TOOL, and network for hosts.`,
  );
}

export const showRule = ({ tool, match }: Rule): string => (match === undefined ? tool : `${tool}(${match})`);

/** Also `mcp__files`, for all tools of a server. */
export const concerns = (rule: Rule, tool: string): boolean =>
  rule.tool === tool ||
  textPattern(rule.tool).test(tool) ||
  (/^mcp__(?:(?!__).)+$/.test(rule.tool) && tool.startsWith(`${rule.tool}__`));

/** Whether a rule is about this use of a file, or about shell lines, whichever tool does that. */
export const isAbout = (rule: Rule, use: keyof typeof RULE_NAMES): boolean =>
  RULE_NAMES[use].some((name) => concerns(rule, name));

/** Whether a rule's pattern fits a text other than a path or a command. */
export const fitsText = (rule: Rule, text: string): boolean =>
  rule.match === undefined || rule.match === text || textPattern(rule.match).test(text);

/** Whether a rule's pattern fits a path. Relative patterns begin at the workspace, `~/` at home. */
export function fitsPath(rule: Rule, path: string, workspace: string, home: string | undefined): boolean {
  if (rule.match === undefined) return true;
  const full = resolvePath(workspace, path);
  const pattern = rule.match.replace(/^~(?=\/)/, home ?? "~").replace(/^(?:\.\/)+/, "");
  const shown = pattern.startsWith("/") ? full : relativeTo(workspace, full);
  const paths = patternOf(pattern);
  return shown === pattern || paths.test(shown) || paths.test(`${shown}/`);
}

const PATTERNS_MAX = 1_000;
const patterns = new Map<string, PathPattern>();
/** A rule is compared with many paths. */
function patternOf(text: string): PathPattern {
  const pattern = patterns.get(text) ?? pathPattern(text);
  if (patterns.size > PATTERNS_MAX) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
}

/** Between words, so that a pattern's blank never matches a blank inside a word: `"git x/pwn"` is not `git *`. */
const SEPARATOR = "\u001f";

/** A pattern over a command's words. `*` spans words; a trailing ` *` or `:*` also matches no further word. */
function wordPattern(match: string): { test(text: string): boolean } {
  const [, stem = match, tail = ""] = /^(.*?)( \*|:\*)?$/s.exec(match) ?? [];
  const pattern = stem.replace(/ +/g, SEPARATOR);
  const longer = `${pattern}${SEPARATOR}*`;
  return { test: (text) => fits(pattern, text) || (tail !== "" && fits(longer, text)) };
}

type Spelled = { readonly text: string; readonly exact: boolean; readonly glob?: string };

/** Whether an allow rule covers a command. Only `*` covers a word that is not known exactly. */
export const coversCommand = ({ match = "*" }: Rule, words: readonly Spelled[]): boolean =>
  wordPattern(match).test(words.map(({ text, exact }) => (exact ? text : "\0")).join(SEPARATOR));

/** The allow rule that covers a command as it is spelled. */
export function coverOf(rules: readonly Rule[], { words, assigns, known }: Command): Rule | undefined {
  if (words.length === 0 || !known) return undefined;
  const mild = assigns.every(({ name, value }) => HARMLESS_VARIABLE.test(name) && value.exact);
  const [program, ...args] = words;
  const usual = { text: (program?.text ?? "").replace(/^\/(?:usr\/(?:local\/)?)?bin\//, ""), exact: true };
  const assigned = assigns.map(({ name, value }) => ({ text: `${name}=${value.text}`, exact: value.exact }));
  return rules.find(
    (rule) =>
      rule.effect === "allow" &&
      (coversCommand(rule, [...assigned, ...words]) ||
        (mild && (coversCommand(rule, words) || coversCommand(rule, [usual, ...args])))),
  );
}

/**
 * Whether a rule that refuses or asks concerns a command. In doubt yes: options before the verb are skipped (`git -C x push`), case
 * is folded, blanks in words count as blanks, and an option in the pattern may be anywhere in the command.
 */
export function meetsCommand({ match = "*" }: Rule, words: readonly Spelled[]): boolean {
  const texts = words.map(({ text }) => text.toLowerCase());
  const [head = "", ...rest] = match.toLowerCase().split(/ +/);
  const options = rest.filter((part) => /^-[^*]/.test(part));
  const whole = wordPattern(match.toLowerCase());
  const fixed = wordPattern([head, ...rest.filter((part) => !options.includes(part)), "*"].join(" "));
  for (let skipped = 0; skipped <= SKIPPED_MAX; skipped += 1) {
    if (skipped > 0 && skipped < texts.length && !isOptionAt(texts, skipped)) return false;
    const text = [texts[0], ...texts.slice(skipped + 1)].join(SEPARATOR).replaceAll(" ", SEPARATOR);
    if (whole.test(text)) return true;
    if (options.length > 0 && fixed.test(text) && options.every((option) => isGiven(option, texts)))
      return true;
  }
  return false;
}

/**
 * Whether a command may become one that the rule concerns: where a word is a pattern or not known, the rest of the rule is put, from
 * each of its words on. Behind very many options the verb is not looked for.
 */
export function couldMeetCommand(rule: Rule, words: readonly Spelled[]): boolean {
  const [head = "", ...parts] = (rule.match ?? "*").split(/ +/);
  const texts = words.map(({ text }) => text);
  const isLong =
    texts.length > SKIPPED_MAX + 1 &&
    texts.every((_, i) => i === 0 || i > SKIPPED_MAX || isOptionAt(texts, i));
  if (isLong && wordPattern(head).test(texts[0] ?? "")) return true;
  const wider = { ...rule, match: [head, ...parts, "*"].join(" ") };
  return parts.some((part, at) => {
    const rest = parts.slice(at).join(" ");
    const filled = words.map((word, i) => (i > 0 && mayBe(word, part) ? { ...word, text: rest } : word));
    return filled.some((word, i) => word !== words[i]) && meetsCommand(wider, filled);
  });
}

/** Whether a word that is a pattern or not known may be one that a part of a rule fits. */
const mayBe = ({ exact, glob }: Spelled, part: string): boolean =>
  !exact || (glob !== undefined && glob.split(OPEN)[0] === part.slice(0, glob.search(OPEN)));
const OPEN = /[*?[{]/;

/** Whether an option, a script or a variable of a command names what the rule is about: it may start that. Of git only options do. */
export function mayStartCommand(
  { match = "" }: Rule,
  { words, assigns }: Pick<Command, "words" | "assigns">,
): boolean {
  const named = spelled(match.replace(/\*.*$/s, ""));
  const isGit = /(?:^|\/)git$/.test(words[0]?.text ?? "");
  const args = words.slice(1).filter(({ text }) => !isGit || /^-|^[\w.]+=/.test(text));
  return (
    named.trim() !== "" &&
    [...args, ...assigns.map(({ value }) => value)].some(({ text }) => spelled(text).includes(named))
  );
}

/** The words in a text: `1e rm a` and `-Orm` hold `rm`, `charm` and `rm-all` do not. */
const spelled = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/^-[a-z](?=\w)/, "")
    .match(/[\w.-]+/g)
    ?.join(" ")} `;

/** `rm` for `/bin/rm`. */
export const withoutFolder = (words: readonly Word[]): Word[] =>
  words.map((word, i) => (i === 0 ? { ...word, text: programOf({ words }) } : word));

const SKIPPED_MAX = 64;
/** Options, each with at most one value. */
const isOptionAt = (texts: readonly string[], at: number): boolean =>
  (texts[at] ?? "").startsWith("-") || (at > 1 && (texts[at - 1] ?? "").startsWith("-"));

/** `-rf` is also given by `-r -f`, and `-f` by `-xdf`. */
function isGiven(option: string, texts: readonly string[]): boolean {
  const clusters = texts.filter((text) => /^-\w/.test(text)).join("");
  const isCluster = /^-\w+$/.test(option);
  return (
    texts.some((text) => wordPattern(option).test(text)) ||
    (isCluster && [...option.slice(1)].every((letter) => clusters.includes(letter)))
  );
}
