/**
 * Permissions for a shell line: each command in it is judged by itself, and the strictest answer counts. So an allow rule has
 * to cover everything that runs, and a deny rule bites wherever its command stands.
 */
import { isWithin, resolvePath } from "../paths.ts";
import { dangerOf } from "../shell/danger.ts";
import { isInside, isReader, writesOf } from "../shell/readonly.ts";
import { type Command, programOf, readShellLine, withInner } from "../shell/wrappers.ts";
import { couldViolate, violatedBy } from "./file-denials.ts";
import { type Decision, isOurs, MODE_DEFAULTS, type Mode, type PermissionRequest, VERBS } from "./mode.ts";
import { type Effect, fitsText, type Rule, showRule } from "./rule.ts";

type Verdict = Omit<Decision, "suggestion"> & { readonly fix: string | null };

/** `rules`: those of `bash`, in order; `all`: also those of other tools, for the files that redirections write. */
export function judgeShell(
  rules: readonly Rule[],
  all: readonly Rule[],
  mode: Mode,
  call: PermissionRequest,
): Decision {
  const { commands, sound } = readShellLine(call.subject);
  const every = commands.flatMap(withInner);
  const danger = dangerOf(commands, call);
  if (danger)
    return { effect: "deny", rule: null, reason: `${danger}; no rule allows that`, suggestion: null };
  const denied =
    rules.find((rule) => rule.effect === "deny" && bites(rule, every, call)) ?? violatedBy(all, every, call);
  if (denied)
    return {
      effect: "deny",
      rule: denied,
      reason: `the rule deny ${showRule(denied)} says so`,
      suggestion: null,
    };

  const judge = new Judge(rules, all, mode, call);
  const verdicts = commands.map((command) => judge.verdict(command));
  if (!sound) verdicts.push(judge.unknown("it cannot be read as a shell would read it"));
  const worst = verdicts.reduce<Verdict>((a, b) => (RANK[b.effect] > RANK[a.effect] ? b : a), judge.fine);
  const { fix, ...decision } = worst;
  return {
    ...decision,
    suggestion: worst.effect === "allow" ? null : suggestion(verdicts, fix, call.subject),
  };
}

const RANK: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** One rule for one command that is not allowed; for several the line itself, if it may be a rule; else all of bash. */
function suggestion(verdicts: readonly Verdict[], fix: string | null, line: string): string {
  const fixes = new Set(verdicts.flatMap((verdict) => (verdict.effect === "allow" ? [] : [verdict.fix])));
  return fixes.size === 1 && fix !== null
    ? `bash(${fix})`
    : fixes.has(null) || /\n/.test(line)
      ? "bash"
      : `bash(${line.trim()})`;
}

const textOf = ({ words }: Command): string => words.map(({ text }) => text).join(" ");

/** A denied command stays denied in a folder (`/bin/rm`), behind assignments, inside others; and the line itself counts too. */
function bites(rule: Rule, every: readonly Command[], call: PermissionRequest): boolean {
  if (rule.match === undefined || fitsText(rule, call.subject.trim())) return true;
  return every.some((command) => {
    const [, ...args] = command.words;
    const bare = [programOf(command), ...args.map(({ text }) => text)].join(" ");
    return command.words.length > 0 && (fitsText(rule, textOf(command)) || fitsText(rule, bare));
  });
}

class Judge {
  readonly fine: Verdict = { effect: "allow", rule: null, reason: "it changes nothing", fix: null };
  /** Where the line may be by now: a `cd` may fail, or end with its subshell. Null when it cannot be known. */
  private folders: ReadonlySet<string> | null;
  private readonly rules: readonly Rule[];
  /** Those of other tools too. */
  private readonly all: readonly Rule[];
  private readonly mode: Mode;
  private readonly call: PermissionRequest;
  private readonly readable: readonly string[];

  constructor(rules: readonly Rule[], all: readonly Rule[], mode: Mode, call: PermissionRequest) {
    this.all = all;
    this.rules = rules.filter(({ effect }) => effect !== "deny");
    this.mode = mode;
    this.call = call;
    this.folders = new Set([call.workspace]);
    this.readable = [call.workspace, ...(call.readable ?? [])];
    this.hasDenials = rules.some(({ effect, match }) => effect === "deny" && match !== undefined);
  }
  private readonly hasDenials: boolean;

  verdict(command: Command): Verdict {
    const own = command.known
      ? this.own(command)
      : this.unknown("it runs a command that cannot be known in advance");
    const files = this.files(command);
    const inner = command.inner.map((one) => this.verdict(one));
    this.follow(command);
    return [files, ...inner].reduce((a, b) => (RANK[b.effect] > RANK[a.effect] ? b : a), own);
  }

  /** Only a rule for all of bash can allow what is not known; and not where a deny rule might have bitten. */
  unknown(why: string): Verdict {
    const rule = this.rules.find(({ match }) => match === undefined);
    const effect = rule?.effect ?? MODE_DEFAULTS[this.mode].exec;
    if (effect === "allow" && this.hasDenials)
      return { effect: "ask", rule: null, reason: `${why}, so the deny rules cannot be checked`, fix: null };
    return { effect, rule: rule ?? null, reason: why, fix: null };
  }

  private own(command: Command): Verdict {
    const { words, assigns } = command;
    const text = textOf(command);
    const risky = assigns.find(({ name }) => (words.length === 0 ? BENDS.test(name) : !MILD.test(name)));
    const line = this.call.subject.trim();
    const rule = this.rules.find(
      (one) =>
        one.match === undefined ||
        one.match === line ||
        (words.length > 0 &&
          (risky ? fitsText(one, withAssigns(command)) : fitsText(one, text) || fitsText(one, usual(text)))),
    );
    if (rule)
      return {
        effect: rule.effect,
        rule,
        reason: `the rule ${rule.effect} ${showRule(rule)} says so`,
        fix: pattern(command),
      };
    if (risky && words.length === 0)
      return this.byMode(`setting ${risky.name} changes what commands do`, null);
    if (words.length === 0 || (command.transparent && command.inner.length > 0 && !risky)) return this.fine;
    const closed = couldViolate(this.all, command, this.call);
    if (closed)
      return this.byMode(`${quoted(text)} may read what the rule deny ${showRule(closed)} closes`, null);
    if (isReader(command, (path) => this.everywhere((folder) => this.isInside(path, folder))))
      return this.fine;
    return this.byMode(`no rule allows ${quoted(text)}`, risky ? null : pattern(command));
  }

  private byMode(why: string, fix: string | null): Verdict {
    const effect = MODE_DEFAULTS[this.mode].exec;
    return {
      effect,
      rule: null,
      reason: `${why}, and mode ${this.mode} ${VERBS[effect]} running programs`,
      fix,
    };
  }

  /** Redirections. A rule for all of bash covers them anywhere; a narrower one covers files of the workspace. */
  private files(command: Command): Verdict {
    if (
      this.mode === "bypass" ||
      this.rules.some(({ match, effect }) => match === undefined && effect === "allow")
    )
      return this.fine;
    const covered = command.words.length > 0 && this.own(command).rule?.effect === "allow";
    for (const { text, exact } of writesOf(command)) {
      const inside =
        exact &&
        !/^[~$]/.test(text) &&
        this.everywhere((folder) => isWithin(this.call.workspace, resolvePath(folder, text)));
      if (!inside)
        return {
          effect: denies(this.mode),
          rule: null,
          reason: `it writes to ${quoted(text)}, which is not known to be in the workspace`,
          fix: null,
        };
      if (!this.everywhere((folder) => !isOurs(resolvePath(folder, text), this.call.workspace)))
        return {
          effect: denies(this.mode),
          rule: null,
          reason: `it writes to ${quoted(text)}, which belongs to git or to Ekiden itself`,
          fix: null,
        };
      const effect = covered ? "allow" : MODE_DEFAULTS[this.mode].write;
      if (effect !== "allow")
        return {
          effect,
          rule: null,
          reason: `it writes the file ${quoted(text)}, and mode ${this.mode} ${VERBS[effect]} that`,
          fix: null,
        };
    }
    for (const { op, to } of command.redirects) {
      if (op !== "<" || covered) continue;
      if (!to.exact || !this.everywhere((folder) => this.isInside(to.text, folder)))
        return {
          effect: denies(this.mode),
          rule: null,
          reason: `it reads ${quoted(to.text)}, which is not known to be in the workspace`,
          fix: null,
        };
    }
    return this.fine;
  }

  private follow(command: Command): void {
    const name = programOf(command);
    if (name === "pushd" || name === "popd") this.folders = null;
    if (name !== "cd") return;
    const to = command.words.slice(1).find(({ text }) => !/^-[LPe]+$/.test(text));
    const certain = to?.exact && !to.glob && !/^[~-]/.test(to.text);
    const before = this.folders;
    this.folders =
      certain && before
        ? new Set([...before, ...[...before].map((folder) => resolvePath(folder, to.text))])
        : null;
    if (this.folders && this.folders.size > 64) this.folders = null;
  }

  private isInside(path: string, folder: string): boolean {
    return isInside(path, folder, this.readable, this.call.real);
  }

  private everywhere(holds: (folder: string) => boolean): boolean {
    return this.folders !== null && [...this.folders].every(holds);
  }
}

const denies = (mode: Mode): Effect => (mode === "plan" ? "deny" : "ask");

/** Variables that may stand before any command: they change what it prints, not what it does. */
const MILD =
  /^(?:LANG|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|CI|TERM|NODE_ENV|DEBUG|PORT|HOST|[a-z]\w*)$/;
/** Variables that bend what later commands do, when they are exported already. */
const BENDS =
  /^(?:PATH|IFS|ENV|BASH\w*|LD_\w+|DYLD_\w+|GIT_\w+|\w*PAGER|\w*EDITOR|VISUAL|SHELL|SHELLOPTS|PS4|PROMPT_COMMAND|NODE_OPTIONS|PYTHON\w*|PERL\w*|RUBY\w*|\w*_COMMAND|\w*WRAPPER|MAKEFLAGS|CDPATH|HOME|npm_\w+)$/;

const withAssigns = (command: Command): string =>
  [...command.assigns.map(({ name, value }) => `${name}=${value.text}`), textOf(command)].join(" ");

/** `/usr/bin/git status` is `git status`; programs in other folders are only themselves. */
const usual = (text: string): string => text.replace(/^\/(?:usr\/(?:local\/)?)?bin\//, "");

const quoted = (text: string): string => (text.length > 60 ? `"${text.slice(0, 57)}…"` : `"${text}"`);

/** The pattern people would write for commands like this one: the program, and its verb if it has one. */
function pattern({ words, known }: Command): string | null {
  const [program, verb] = words;
  if (!program || !known) return null;
  const named =
    verb?.exact && /^[a-z][\w:-]*$/i.test(verb.text) && VERBED.test(program.text)
      ? `${program.text} ${verb.text}`
      : program.text;
  return words.length === 1 ? named : `${named} *`;
}

const VERBED =
  /^(?:git|npm|npx|pnpm|yarn|bun|cargo|go|docker|kubectl|make|pip3?|uv|poetry|dotnet|gradle|mvn|gh|deno|bundle|rails|composer|apt|apt-get|brew|systemctl|terraform)$/;
