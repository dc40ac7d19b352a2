/**
 * A runbook: a plan in Markdown. `# goal`, then a `## subject` for each task. A task may have the lines
 * `After: subject or #n, …` (also `Depends on:`, `Blocked by:`, see `runbook-lines`) · `Role: …` · `Estimate: …` · `Priority: …` · `Touches: pattern, …` · `Plan: yes` · `Effort: high` ·
 * `Review: yes` · `Judges: yes` · `Check: command` anywhere outside fences; everything else is its description. Text between the goal and the first task belongs to the goal. Pure.
 */

import { checkTask, type NewTask } from "../board/task.ts";
import { badInput, messageOf } from "../errors.ts";
import { EFFORTS, isEffort } from "../settings/effort.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Fence, fencesIn, isProse, isRunnable, timeoutOf } from "./fences.ts";
import { spanOf } from "./mark.ts";
import { type Option, optionIn } from "./runbook-lines.ts";

export type Runbook = {
  readonly goal: string;
  readonly tasks: readonly NewTask[];
  /** The file that its tasks write for a person to read: a line `Report: path` before the first task. */
  readonly report?: string;
};

/** Whether the embedded model will do, as for a runbook. "last": some of its tasks need another, so a ready agent program comes first. */
export type Embedded = boolean | "last";

export const embeddedFor = ({ tasks }: Pick<Runbook, "tasks">): Embedded =>
  tasks.some(({ description = "" }) => isProse(description)) ? "last" : true;

type Section = {
  readonly line: number;
  readonly subject: string;
  readonly body: string[];
  readonly after: { readonly text: string; readonly key: string; readonly line: number }[];
  readonly options: Partial<Record<Exclude<Option, "after">, string>>;
  /** No sentence of its description was read yet. */
  isHead: boolean;
};
type Complain = (line: number, what: string) => void;

/** @throws EkidenError `bad_input` with all problems and their lines. Messages call the file `name`. */
export function parseRunbook(text: string, name = "The runbook"): Runbook {
  const problems: { line: number; what: string }[] = [];
  const complain: Complain = (line, what) => problems.push({ line, what });
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  lines.forEach((one, nth) => {
    if (one.includes("\0")) complain(nth + 1, "it holds a NUL character. Remove it.");
  });
  const { goal, sections } = read(
    lines.map((one) => one.replaceAll("\0", "")),
    complain,
  );
  if (goal === null)
    complain(1, "there is no goal. Begin with a heading such as `# Move the API to GraphQL`.");
  if (sections.length === 0)
    complain(1, "there are no tasks. Give each task a heading such as `## Count the endpoints`.");
  const tasks = resolve(sections, complain);
  if (problems.length > 0) {
    const list = problems.sort((a, b) => a.line - b.line).map(({ line, what }) => `  line ${line}: ${what}`);
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    throw badInput(`${name} has ${count}:\n${list.join("\n")}`);
  }
  const report = /^Report:[ \t]*(\S.*)$/im.exec(goal ?? "")?.[1]?.trimEnd();
  return { goal: goal ?? "", tasks, ...(report !== undefined && { report }) };
}

function read(
  lines: readonly string[],
  complain: Complain,
): { goal: string | null; sections: readonly Section[] } {
  const fences = fencesIn(lines);
  const fenced = new Set<number>();
  for (const fence of fences) {
    checkFence(fence, complain);
    for (let line = fence.first; line <= (fence.last ?? lines.length); line += 1) fenced.add(line);
  }
  const sections: Section[] = [];
  let goal: string | null = null;
  const about: string[] = [];
  lines.forEach((text, i) => {
    const line = i + 1;
    const section = sections.at(-1);
    const heading = fenced.has(line) ? null : /^ {0,3}(##?)(?=[ \t]|$)(.*)$/.exec(text);
    if (heading) {
      // Closing marks are no part of it. One pattern for all would take the square of a long line.
      const title = (heading[2] ?? "")
        .trim()
        .replace(/(?:^|[ \t])#+$/, "")
        .trimEnd();
      if (title === "")
        complain(line, heading[1] === "#" ? "the goal is empty." : "a task without a subject.");
      if (heading[1] === "##")
        sections.push({ line, subject: title, body: [], after: [], options: {}, isHead: true });
      else if (goal === null) goal = title;
      else complain(line, `a second goal, "${title}". A runbook has one \`#\` heading; tasks have \`##\`.`);
      return;
    }
    if (!section) about.push(text);
    else if (fenced.has(line) || !takeOption(section, text, line, complain)) {
      section.body.push(text);
      section.isHead &&= /^\s*(?:[\w -]{1,30}:\s.*)?$/.test(text) && !fenced.has(line);
    }
  });
  const more = about.join("\n").trim();
  return { goal: goal !== null && more !== "" ? `${goal}\n\n${more}` : goal, sections };
}

function checkFence(fence: Fence, complain: Complain): void {
  if (fence.reopens !== null)
    complain(
      fence.first,
      `the fence that opens here is still open in line ${fence.reopens}, where another begins. Close it with a line of the same marks; to show a fence inside it, give it more marks.`,
    );
  else if (fence.last === null)
    complain(
      fence.first,
      "the fence that opens here is never closed. Close it with a line of the same marks.",
    );
  if (isRunnable(fence) && timeoutOf(fence) === undefined)
    complain(fence.first, `the timeout in "${fence.info}" is not a time such as timeout=60s.`);
}

/** Options that are yes or no, and the meaning of yes. */
const YES = {
  plan: "its plan must be approved before anything is run",
  review: "an independent agent judges it before it is completed",
  judges: "it is meant to change tests or the gate",
} as const;
const KEPT: ReadonlySet<Option> = new Set(["effort", "review", "judges", "check"]);

/** True when the line was an option of its task. */
function takeOption(section: Section, text: string, line: number, complain: Complain): boolean {
  const found = optionIn(text, section.isHead);
  if (found === null) return false;
  if ("refused" in found) {
    complain(line, found.refused);
    return true;
  }
  const { option, key, value } = found;
  if (option === "after") {
    if (!/^(?:none|nothing|n\/a|-)$/i.test(value)) section.after.push({ text: value, key, line });
    return true;
  }
  if (value === "") complain(line, `"${key}:" has no value.`);
  else if (section.options[option] !== undefined) complain(line, `a second "${key}:" in one task.`);
  else if ((option === "estimate" || option === "priority") && !/^[-+]?(\d+\.?\d*|\.\d+)$/.test(value))
    complain(line, `"${key}: ${value}" is not a number.`);
  else if (option in YES && !/^(yes|no)$/i.test(value))
    complain(line, `"${key}: ${value}": write yes (${YES[option as keyof typeof YES]}) or no.`);
  else if (option === "effort" && !isEffort(value.toLowerCase()))
    complain(line, `"Effort: ${value}": write one of ${EFFORTS.join(", ")}.`);
  else section.options[option] = value;
  // It stays in the description, where the host reads it.
  const kept = option === "check" ? spanOf(value) : value;
  if (KEPT.has(option)) section.body.push(`${option[0]?.toUpperCase()}${option.slice(1)}: ${kept}`);
  return true;
}

function resolve(sections: readonly Section[], complain: Complain): NewTask[] {
  const places = new Map<string, number>();
  sections.forEach(({ subject, line }, nth) => {
    if (subject === "") return;
    const before = places.get(subjectKey(subject));
    if (before === undefined) places.set(subjectKey(subject), nth);
    else
      complain(
        line,
        `a second task "${subject}"; the first is in line ${sections[before]?.line}. Subjects must differ.`,
      );
  });
  const longest = sections.reduce((most, { subject }) => Math.max(most, subject.split(",").length), 1);
  const subjects = { places, longest };
  const edges = sections.map((section, nth) => blockersOf(section, nth, sections, subjects, complain));
  const cycle = findCycle(edges);
  if (cycle) {
    const names = cycle.map((nth) => `"${sections[nth]?.subject}"`);
    complain(
      sections[cycle[0] ?? 0]?.line ?? 1,
      `tasks that wait for each other could never start: ${names.join(" → ")}.`,
    );
  }
  return sections.map((section, nth) => {
    const task = taskOf(section, edges[nth] ?? []);
    try {
      if (section.subject !== "") checkTask(task);
    } catch (error) {
      complain(section.line, messageOf(error));
    }
    return task;
  });
}

function taskOf({ subject, body, options }: Section, blockers: readonly number[]): NewTask {
  const { role, estimate, priority, touches, plan } = options;
  return {
    subject,
    description: body.join("\n").trim(),
    blockedBy: blockers.map((nth) => ({ nth })),
    ...(role !== undefined && { role }),
    ...(estimate !== undefined && { estimate: Number(estimate) }),
    ...(priority !== undefined && { priority: Number(priority) }),
    ...(plan?.toLowerCase() === "yes" && { needsPlan: true }),
    ...(touches !== undefined && { touches: split(touches) }),
  };
}

/** The place of each task by its subject, and the most pieces between commas that one has. */
type Subjects = { readonly places: ReadonlyMap<string, number>; readonly longest: number };

function blockersOf(
  section: Section,
  self: number,
  sections: readonly Section[],
  subjects: Subjects,
  complain: Complain,
): number[] {
  const { places } = subjects;
  const found = new Set<number>();
  for (const { text, key, line } of section.after) {
    if (text === "") complain(line, `"${key}:" names nothing.`);
    for (const word of namesIn(text, subjects)) {
      const number = places.has(subjectKey(word)) ? undefined : /^(?:task\s+)?#?(\d+)$/i.exec(word)?.[1];
      const nth = number === undefined ? places.get(subjectKey(word)) : Number(number) - 1;
      if (nth === self) complain(line, `"${section.subject}" cannot come after itself.`);
      else if (nth !== undefined && sections[nth]) found.add(nth);
      else if (number !== undefined)
        complain(
          line,
          `"${key}: ${word}": there are ${sections.length} tasks; #1 is the first of this file.`,
        );
      else {
        const hint = didYouMean(
          word,
          sections.map((s) => s.subject),
        );
        complain(line, `"${key}: ${word}": no task has that subject.${hint}`);
      }
    }
  }
  return [...found];
}

/** The names in an After line. Subjects may contain commas, so the longest run of pieces that is a subject counts as one. */
function namesIn(text: string, { places, longest }: Subjects): string[] {
  const pieces = split(text);
  const names: string[] = [];
  for (let from = 0; from < pieces.length; ) {
    let to = Math.min(pieces.length, from + longest);
    while (to > from + 1 && !places.has(subjectKey(pieces.slice(from, to).join(", ")))) to -= 1;
    names.push(pieces.slice(from, to).join(", "));
    from = to;
  }
  return names;
}

const split = (text: string): string[] =>
  text
    .split(",")
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");

/** Subjects are equal regardless of case, blanks, quotes and backquotes. */
export const subjectKey = (subject: string): string =>
  subject
    .replace(/^(["'`])(.*)\1$/, "$2")
    .replace(/\s+/g, " ")
    .replace(/ ?, ?/g, ", ")
    .trim()
    .toLowerCase();

/** The first cycle, which starts and ends with the same task, or null. */
function findCycle(edges: readonly (readonly number[])[]): number[] | null {
  const done = new Set<number>();
  for (let start = 0; start < edges.length; start += 1) {
    const path: number[] = [];
    const onPath = new Set<number>();
    const next: number[] = []; // for each task of the path, the number of edges followed
    const enter = (nth: number): void => {
      path.push(nth);
      onPath.add(nth);
      next.push(0);
    };
    if (!done.has(start)) enter(start);
    while (path.length > 0) {
      const at = path.length - 1;
      const task = path[at] as number;
      const blocker = edges[task]?.[next[at] as number];
      next[at] = (next[at] as number) + 1;
      if (blocker === undefined) {
        done.add(task);
        onPath.delete(task);
        path.pop();
        next.pop();
      } else if (onPath.has(blocker)) return [...path.slice(path.indexOf(blocker)), blocker];
      else if (!done.has(blocker)) enter(blocker);
    }
  }
  return null;
}
