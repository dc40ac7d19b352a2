/**
 * Permissions for a shell line: each command in it is judged by itself, and the strictest answer counts. Rules that refuse or ask are
 * held against every command that may run, so a line that cannot be read exactly is asked about where such rules exist. A line is
 * allowed silently only where it can be read exactly: in the small grammar, or in a sandbox if all of it only reads.
 */
import { cutEnd } from "../conversation/valid.ts";
import { isWithin } from "../paths.ts";
import { type Command, type Line, programOf, readLine, withInner } from "../shell/command.ts";
import { dangerOf } from "../shell/danger.ts";
import { Folders } from "../shell/folders.ts";
import { SHELLS } from "../shell/launchers.ts";
import { pathsOf, physical, wordIsReadable } from "../shell/places.ts";
import { PLAIN_MAX, type Simple, type Word } from "../shell/plain.ts";
import { HARMLESS_VARIABLE, inputsOf, isReader, OWN_VARIABLE, writesOf } from "../shell/readonly.ts";
import { changed, couldViolate, fileDenials, foldersOf, violatedBy } from "./file-denials.ts";
import { type Decision, MODE_DEFAULTS, type Mode, type PermissionRequest, VERBS } from "./mode.ts";
import { namesProtected, protectedPart } from "./protected.ts";
import {
  concerns,
  couldMeetCommand,
  coversCommand,
  type Effect,
  fitsPath,
  meetsCommand,
  type Rule,
  showRule,
} from "./rule.ts";
import { suggestion } from "./suggestion.ts";

type Verdict = Omit<Decision, "suggestion">;

/** `rules`: those of `bash`, in order; `all`: also those of other tools, for the files that redirections write. */
export function judgeShell(
  rules: readonly Rule[],
  all: readonly Rule[],
  mode: Mode,
  call: PermissionRequest,
): Decision {
  const verdict = new Judge(rules, all, mode, call).verdict();
  return { ...verdict, suggestion: verdict.effect === "ask" ? suggestion(call.subject) : null };
}

class Judge {
  private readonly rules: readonly Rule[];
  private readonly all: readonly Rule[];
  private readonly mode: Mode;
  private readonly call: PermissionRequest;
  private readonly line: Line;
  /** Every command that may run. */
  private readonly every: readonly Command[];
  private readonly whole: Rule | undefined;

  constructor(rules: readonly Rule[], all: readonly Rule[], mode: Mode, call: PermissionRequest) {
    this.rules = rules;
    this.all = all;
    this.mode = mode;
    this.call = call;
    this.line = readLine(call.subject);
    this.every = this.line.commands.flatMap(withInner);
    this.whole = rules.find(({ effect, match }) => effect === "allow" && match === undefined);
  }

  verdict(): Verdict {
    const text = this.call.subject.trim();
    const exact = this.rules.find(({ effect, match }) => effect === "allow" && match === text);
    const danger = exact ? null : dangerOf(this.line.commands, this.call);
    if (danger)
      return {
        effect: "deny",
        rule: null,
        reason: `${danger}; only a rule with exactly this line allows that`,
      };
    const denied = this.meeting("deny", text) ?? violatedBy(this.all, this.every, this.call);
    if (denied) return says(denied);
    if (exact) return says(exact);
    const asked = this.meeting("ask", text);
    if (asked) return says(asked);
    return (
      this.protectedWrite() ??
      this.unreadable() ??
      (this.whole || this.mode === "bypass" ? this.everything() : this.eachCommand())
    );
  }

  /** A rule holds for its command in a folder (`/bin/rm`), behind assignments, in other commands, and for the line as written. */
  private meeting(effect: Effect, text: string): Rule | undefined {
    return this.rules.find(
      (rule) =>
        rule.effect === effect &&
        (rule.match === undefined ||
          rule.match === text ||
          this.every.some((command) => {
            const [program, ...args] = command.words;
            if (!program) return false;
            return (
              meetsCommand(rule, command.words) ||
              meetsCommand(rule, [{ ...program, text: programOf(command) }, ...args])
            );
          })),
    );
  }

  private protectedWrite(): Verdict | null {
    const { workspace, disk } = this.call;
    for (const command of this.every)
      for (const word of [...changed(command), ...writesOf(command)])
        for (const folder of foldersOf(this.every, this.call))
          for (const path of pathsOf(word, folder, this.call) ?? [word.text]) {
            const part = [physical(path, folder, undefined), physical(path, folder, disk)]
              .map((one) => protectedPart(one, workspace))
              .find((one) => one !== null);
            if (part == null || this.isNamed(part, physical(path, folder, undefined))) continue;
            return this.stop(`it writes to ${quoted(path)}, and ${part} decides what runs later`);
          }
    return null;
  }

  private isNamed(part: string, path: string): boolean {
    return this.all.some(
      (rule) =>
        WRITERS.some((tool) => concerns(rule, tool)) &&
        namesProtected(rule, part) &&
        fitsPath(rule, path, this.call.workspace, this.call.home),
    );
  }

  /** Rules that refuse, where nobody can say whether they are violated. */
  private unreadable(): Verdict | null {
    const { sound } = this.line;
    const unknown = this.every.find(({ known }) => !known);
    if (!sound && this.call.subject.length > PLAIN_MAX)
      return this.stop(`it is longer than ${PLAIN_MAX} characters`);
    if (sound && !unknown) return this.inDoubt();
    const why = sound ? "it runs a command that cannot be known in advance" : UNREAD;
    const denies = this.rules.some(({ effect }) => effect === "deny");
    return denies ? this.stop(`${why}, so the deny rules cannot be checked`) : null;
  }

  private inDoubt(): Verdict | null {
    const rule = this.rules.find(
      (one) => one.effect !== "allow" && this.every.some(({ words }) => couldMeetCommand(one, words)),
    );
    return rule
      ? this.stop(`a word of it is not known, and the rule ${rule.effect} ${showRule(rule)} may fit`)
      : null;
  }

  /** The mode or a rule for all of `bash` allows whatever no deny rule may concern. */
  private everything(): Verdict {
    for (const command of this.every) {
      const rule = couldViolate(this.all, command, this.call);
      if (rule)
        return this.stop(`${quoted(textOf(command))} may read what the rule deny ${showRule(rule)} closes`);
    }
    if (!this.line.sound && fileDenials(this.all, "read").length > 0)
      return this.stop(`${UNREAD}, so the deny rules cannot be checked`);
    if (this.whole) return says(this.whole);
    return { effect: "allow", rule: null, reason: `mode ${this.mode} ${VERBS.allow} running programs` };
  }

  private eachCommand(): Verdict {
    const { plain, sound, expandsOnly, commands } = this.line;
    if (!plain && !(this.call.confined && sound && expandsOnly))
      return this.byMode("it uses more of the shell than can be judged exactly");
    const folders = new Folders(this.call);
    let rule: Rule | null = null;
    for (const command of commands) {
      const covered = plain ? this.coverOf(command) : undefined;
      rule ??= covered ?? null;
      const verdict =
        (covered ? this.inner(command) : this.reading(command, folders)) ??
        this.redirections(command, covered, folders);
      if (verdict) return verdict;
      folders.after(command);
    }
    return rule
      ? says(rule)
      : commands.some((command) => writesOf(command).length > 0)
        ? { effect: "allow", rule: null, reason: `mode ${this.mode} ${VERBS.allow} writing files` }
        : { effect: "allow", rule: null, reason: "it changes nothing", readOnly: true };
  }

  /** The allow rule that covers a command as it is spelled. */
  private coverOf(command: Command): Rule | undefined {
    const { words, assigns, known } = command;
    if (words.length === 0 || !known) return undefined;
    const mild = assigns.every(({ name, value }) => HARMLESS_VARIABLE.test(name) && value.exact);
    const [program, ...args] = words;
    const usual = { text: (program?.text ?? "").replace(/^\/(?:usr\/(?:local\/)?)?bin\//, ""), exact: true };
    const assigned = assigns.map(({ name, value }) => ({
      text: `${name}=${value.text}`,
      exact: value.exact,
    }));
    return this.rules.find(
      (rule) =>
        rule.effect === "allow" &&
        (coversCommand(rule, [...assigned, ...words]) ||
          (mild && (coversCommand(rule, words) || coversCommand(rule, [usual, ...args])))),
    );
  }

  /** The commands that a covered command runs in turn. A rule for a wrapper (`bash(timeout *)`) is not one for what it runs. */
  private inner(command: Command): Verdict | null {
    for (const one of command.inner) {
      const covered = this.coverOf(one);
      if (!covered && !(one.known && isReader(one, this.call.workspace, this.call)))
        return this.byMode(`no rule allows ${quoted(textOf(one))}`);
      const verdict = this.inner(one);
      if (verdict) return verdict;
    }
    return null;
  }

  /** Null when the command only reads, or does nothing but run commands that are allowed. */
  private reading(command: Command, folders: Folders): Verdict | null {
    const isOwn = ({ name }: { name: string }): boolean => !this.line.plain && OWN_VARIABLE.test(name);
    if (command.words.length === 0 && command.assigns.every(isOwn)) return null;
    const closed = couldViolate(this.all, command, this.call);
    if (closed)
      return this.byMode(`${quoted(textOf(command))} may read what the rule deny ${showRule(closed)} closes`);
    if (folders.all((folder) => isReader(command, folder, this.call))) return null;
    const mild = command.assigns.every(({ name }) => HARMLESS_VARIABLE.test(name));
    if (
      mild &&
      this.line.plain &&
      command.transparent &&
      command.inner.length > 0 &&
      !SHELLS.test(programOf(command))
    )
      return (
        command.inner
          .map((one) => (this.coverOf(one) ? this.inner(one) : this.reading(one, folders)))
          .find((one) => one !== null) ?? null
      );
    return this.byMode(
      command.words.length === 0
        ? `setting ${command.assigns[0]?.name} may change what commands do`
        : `no rule allows ${quoted(textOf(command))}`,
    );
  }

  private redirections(command: Command, covered: Rule | undefined, folders: Folders): Verdict | null {
    const { workspace, disk, home } = this.call;
    for (const word of writesOf(command)) {
      const isInside = folders.all((folder) => {
        const path = word.glob === undefined ? pathsOf(word, folder, this.call)?.[0] : undefined;
        return (
          path !== undefined && isWithin(disk?.real(workspace) ?? workspace, physical(path, folder, disk))
        );
      });
      if (!isInside)
        return this.stop(`it writes to ${quoted(word.text)}, which is not known to be in the workspace`);
      const rule = this.all.find(
        (one) =>
          one.effect !== "deny" &&
          WRITERS.some((tool) => concerns(one, tool)) &&
          folders.all((folder) => fitsPath(one, physical(word.text, folder, disk), workspace, home)),
      );
      const effect = rule?.effect ?? MODE_DEFAULTS[this.mode].write;
      if (effect !== "allow")
        return {
          effect,
          rule: null,
          reason: `it writes the file ${quoted(word.text)}, and mode ${this.mode} ${VERBS[effect]} that`,
        };
    }
    if (covered) return null;
    const closed = inputsOf(command).find(
      (word) => !folders.all((folder) => wordIsReadable(word, folder, this.call)),
    );
    const text = command.redirects.find(({ op, to }) => op.startsWith("<<") && !to.exact);
    return closed
      ? this.stop(`it reads ${quoted(closed.text)}, which is not known to be in the workspace`)
      : text && !this.call.confined
        ? this.stop("it uses more of the shell than can be judged exactly")
        : null;
  }

  private byMode(why: string): Verdict {
    const effect = MODE_DEFAULTS[this.mode].exec;
    return { effect, rule: null, reason: `${why}, and mode ${this.mode} ${VERBS[effect]} running programs` };
  }

  /** A question in every mode but `plan`, which refuses. */
  private stop(reason: string): Verdict {
    return { effect: this.mode === "plan" ? "deny" : "ask", rule: null, reason };
  }
}

const WRITERS = ["write_file", "edit_file"];
const UNREAD = "it cannot be read as a shell would read it";

const says = (rule: Rule): Verdict => ({
  effect: rule.effect,
  rule,
  reason: `the rule ${rule.effect} ${showRule(rule)} says so`,
});

const textOf = ({ words }: Simple): string => words.map(({ text }: Word) => text).join(" ");
const quoted = (text: string): string => (text.length > 60 ? `"${cutEnd(text, 57)}…"` : `"${text}"`);
