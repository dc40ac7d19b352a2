/**
 * Permissions for a shell line: each command in it is judged by itself, and the strictest answer counts. Rules that refuse or ask are
 * held against every command that may run, so a line that cannot be read exactly is asked about where such rules exist. A line is
 * allowed silently only where it can be read exactly: in the small grammar, or in a sandbox if all of it only reads.
 */

import { lazy } from "../lazy.ts";
import { isWithin } from "../paths/paths.ts";
import { boundedDisk, withinWork } from "../shell/bounded-disk.ts";
import { type Command, type Line, readLine, withInner } from "../shell/command.ts";
import { dangerOf } from "../shell/danger.ts";
import { OWN_VARIABLE } from "../shell/expansion.ts";
import { folderFlow } from "../shell/folder-flow.ts";
import type { Folders } from "../shell/folders.ts";
import { SHELLS } from "../shell/launchers.ts";
import { pathsOf, physical, wordIsReadable } from "../shell/places.ts";
import {
  HARMLESS_VARIABLE,
  inputsOf,
  PLAIN_MAX,
  programOf,
  type Simple,
  type Word,
  writesOf,
} from "../shell/plain.ts";
import { isReader } from "../shell/readonly.ts";
import { quoted } from "../text/valid.ts";
import { changed, couldViolate, fileDenials, violatedBy } from "./file-denials.ts";
import {
  allows,
  type Decision,
  MODE_DEFAULTS,
  type Mode,
  type PermissionRequest,
  says,
  VERBS,
  type Verdict,
} from "./mode.ts";
import { namesProtected, protectedPart } from "./protected.ts";
import {
  couldMeetCommand,
  coverOf,
  type Effect,
  fitsPath,
  isAbout,
  mayStartCommand,
  meetsCommand,
  type Rule,
  showRule,
  withoutFolder,
} from "./rule.ts";
import { suggestion } from "./suggestion.ts";
import { wayOut } from "./ways-out.ts";

/** `rules`: those of `bash`, in order; `all`: also those of other tools, for the files that redirections write. */
export function judgeShell(
  rules: readonly Rule[],
  all: readonly Rule[],
  mode: Mode,
  call: PermissionRequest,
): Decision {
  const judge = new Judge(rules, all, mode, { ...call, disk: boundedDisk(call.disk, all.length) });
  const verdict =
    withinWork(() => judge.verdict()) ?? judge.stop("it names too many paths to check them all");
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
  /** The folders that a command may run in. */
  private readonly at: (command: Command) => Folders;

  constructor(rules: readonly Rule[], all: readonly Rule[], mode: Mode, call: PermissionRequest) {
    this.rules = rules;
    this.all = all;
    this.mode = mode;
    this.call = call;
    this.line = readLine(call.subject);
    this.every = this.line.commands.flatMap(withInner);
    const flow = lazy(() => folderFlow(this.line, call));
    this.at = (command) => flow()(command);
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
    const denied = this.meeting("deny", text) ?? violatedBy(this.all, this.every, this.call, this.at);
    if (denied) return says(denied);
    if (exact) return says(exact);
    const asked = this.meeting("ask", text);
    if (asked) return says(asked);
    const written = this.protectedWrite();
    if (written) return this.call.confined ? { ...written, outside: null } : written;
    return (
      this.unreadable() ??
      (this.whole || this.mode === "bypass" || this.call.confined ? this.everything() : this.eachCommand())
    );
  }

  /** A rule holds for its command in a folder (`/bin/rm`), behind assignments, in other commands, and for the line as written. */
  private meeting(effect: Effect, text: string): Rule | undefined {
    return this.rules.find(
      (rule) =>
        rule.effect === effect &&
        (rule.match === undefined ||
          rule.match === text ||
          this.every.some(
            ({ words }) =>
              words.length > 0 && (meetsCommand(rule, words) || meetsCommand(rule, withoutFolder(words))),
          )),
    );
  }

  private protectedWrite(): Verdict | null {
    const { workspace, disk } = this.call;
    for (const command of this.every)
      for (const word of [...changed(command), ...writesOf(command)])
        for (const folder of this.at(command).all)
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
        isAbout(rule, "write") &&
        namesProtected(rule, part) &&
        fitsPath(rule, path, this.call.workspace, this.call.home),
    );
  }

  /** Rules that refuse, where nobody can say whether they are violated. */
  private unreadable(): Verdict | null {
    const { sound } = this.line;
    const unknown = this.every.find(({ known }) => !known);
    if (!sound && this.call.subject.length > PLAIN_MAX && this.mode !== "bypass")
      return this.stop(`it is longer than ${PLAIN_MAX} characters`);
    if (sound && !unknown) return this.inDoubt();
    const why = sound ? "it runs a command that cannot be known in advance" : UNREAD;
    const denies = this.rules.some(({ effect }) => effect === "deny");
    return denies ? this.stop(`${why}, so the deny rules cannot be checked`) : null;
  }

  private inDoubt(): Verdict | null {
    const reads = (one: Command): boolean => this.inAll(one, (folder) => isReader(one, folder, this.call));
    const starting = this.call.confined ? [] : this.every.filter((one) => !reads(one));
    const mayFit = (one: Rule): boolean =>
      this.every.some(({ words }) => couldMeetCommand(one, words)) ||
      starting.some((command) => mayStartCommand(one, command));
    const rule = this.rules.find((one) => one.effect !== "allow" && mayFit(one));
    const why = "a word of it is not known or may start a program";
    return rule ? this.stop(`${why}, and the rule ${rule.effect} ${showRule(rule)} may fit`) : null;
  }

  /** The mode, a rule for all of `bash` or the sandbox allows whatever no deny rule may concern. */
  private everything(): Verdict {
    const closed = this.closed();
    const usual = closed ?? this.eachCommand();
    if (closed || usual.readOnly) return usual;
    if (this.whole) return says(this.whole);
    if (this.mode === "bypass") return allows("mode bypass allows running programs");
    if (usual.effect === "allow") return usual;
    // The sandbox holds it, so the question is for the way out of it.
    const way = wayOut(this.line, this.all, this.call, this.at);
    return way ? { ...this.stop(way.reason), ...way } : allows("it runs in the sandbox");
  }

  /** A deny rule for files that the line may violate. */
  private closed(): Verdict | null {
    for (const command of this.every) {
      const rule = couldViolate(this.all, command, this.call);
      if (rule)
        return this.stop(`${quoted(textOf(command))} may read what the rule deny ${showRule(rule)} closes`);
    }
    if (!this.line.sound && !this.call.confined && fileDenials(this.all, "read").length > 0)
      return this.stop(`${UNREAD}, so the deny rules cannot be checked`);
    return null;
  }

  private eachCommand(): Verdict {
    const { plain, sound, expandsOnly, commands } = this.line;
    // `$'` and `$"` differ among shells, and a value of IFS changes what a word is.
    const isRead = plain || (sound && expandsOnly && !/\$['"]|\bIFS\b/.test(this.call.subject));
    if (!isRead || this.call.subject.length > PLAIN_MAX)
      return this.byMode("it uses more of the shell than can be judged exactly");
    let rule: Rule | null = null;
    for (const command of commands) {
      const covered = plain ? coverOf(this.rules, command) : undefined;
      rule ??= covered ?? null;
      const verdict =
        (covered ? this.inner(command) : this.reading(command)) ?? this.redirections(command, covered);
      if (verdict) return verdict;
    }
    return rule
      ? says(rule)
      : commands.some((command) => writesOf(command).length > 0)
        ? allows(`mode ${this.mode} ${VERBS.allow} writing files`)
        : { ...allows("it changes nothing"), readOnly: true };
  }

  /** The commands that a covered command runs in turn. A rule for a wrapper (`bash(timeout *)`) is not one for what it runs. */
  private inner(command: Command): Verdict | null {
    return (
      command.inner
        .map((one) => (coverOf(this.rules, one) ? this.inner(one) : this.reading(one)))
        .find((one) => one !== null) ?? null
    );
  }

  /** Null when the command only reads, or does nothing but run commands that are allowed. */
  private reading(command: Command): Verdict | null {
    const isOwn = ({ name }: { name: string }): boolean => !this.line.plain && OWN_VARIABLE.test(name);
    if (command.words.length === 0 && command.assigns.every(isOwn)) return null;
    const closed = couldViolate(this.all, command, this.call);
    if (closed)
      return this.byMode(`${quoted(textOf(command))} may read what the rule deny ${showRule(closed)} closes`);
    if (this.inAll(command, (folder) => isReader(command, folder, this.call))) return null;
    const mild = command.assigns.every(({ name }) => HARMLESS_VARIABLE.test(name));
    if (mild && command.transparent && command.inner.length > 0 && !SHELLS.test(programOf(command)))
      return this.inner(command);
    return this.byMode(
      command.words.length === 0
        ? `setting ${command.assigns[0]?.name} may change what commands do`
        : `no rule allows ${quoted(textOf(command))}`,
    );
  }

  private redirections(command: Command, covered: Rule | undefined): Verdict | null {
    const { workspace, disk, home } = this.call;
    for (const word of writesOf(command)) {
      const isInside = this.inAll(command, (folder) => {
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
          isAbout(one, "write") &&
          this.inAll(command, (folder) => fitsPath(one, physical(word.text, folder, disk), workspace, home)),
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
      (word) => !this.inAll(command, (folder) => wordIsReadable(word, folder, this.call)),
    );
    return closed
      ? this.stop(`it reads ${quoted(closed.text)}, which is not known to be in the workspace`)
      : null;
  }

  private inAll(command: Command, holds: (folder: string) => boolean): boolean {
    const { all, sure } = this.at(command);
    return sure && all.every(holds);
  }

  private byMode(why: string): Verdict {
    const effect = MODE_DEFAULTS[this.mode].exec;
    return { effect, rule: null, reason: `${why}, and mode ${this.mode} ${VERBS[effect]} running programs` };
  }

  /** A question in every mode but `plan`, which refuses. */
  stop(reason: string): Verdict {
    return { effect: this.mode === "plan" ? "deny" : "ask", rule: null, reason };
  }
}

const UNREAD = "it cannot be read as a shell would read it";
const textOf = ({ words }: Simple): string => words.map(({ text }: Word) => text).join(" ");
