/** Blocks of the story that take up several facts: one line for each task from its claim to its end, one for all tasks that are added together. */
import type { Event, FactOf } from "../../../core/event.ts";
import type { Name } from "../../../core/ids.ts";
import { counted, span, type Tone } from "../../../core/views/view.ts";
import { columns } from "../../kit/terminal.ts";
import { colourOf } from "../draw/colours.ts";
import type { Change } from "../draw/diff.ts";
import { oneLine, type Style, safe, shortened, spread, wrapped } from "../draw/style.ts";
import { named } from "./blocks.ts";
import type { Block, Look } from "./feed.ts";

export type Told = { readonly text: string; readonly tone: Tone };

/** Lines of a reason why a task failed. */
const REASON_LINES = 6;
const STEPS_MAX = 300;
const NARROW = 70;

export type End = Told & { readonly glyph: string };

export class TaskBlock implements Block {
  readonly task: number;
  readonly by: Name;
  private readonly subject: string;
  private readonly since: number;
  private readonly style: Style;
  private readonly steps: Told[] = [];
  private readonly files = new Map<string, readonly [added: number, removed: number]>();
  private ended: (End & { readonly at: number }) | null = null;
  /** For which its owner waited for a person. */
  private waitedMs = 0;
  private waitsSince: number | null = null;

  constructor(style: Style, { task, subject, by }: FactOf<"task.claimed">, since: number) {
    this.style = style;
    this.task = task;
    this.subject = oneLine(subject);
    this.by = by;
    this.since = since;
  }

  add(step: Told): void {
    this.steps.push(step);
    if (this.steps.length > STEPS_MAX) this.steps.shift();
  }

  edited({ path, added, removed }: Change): void {
    const [more, less] = this.files.get(path) ?? [0, 0];
    this.files.set(path, [more + added, less + removed]);
    this.steps.push({ text: `edited ${path} +${added} −${removed}`, tone: "dim" });
  }

  waits(at: number): void {
    this.waitsSince ??= at;
  }

  goesOn(at: number): void {
    if (this.waitsSince !== null) this.waitedMs += at - this.waitsSince;
    this.waitsSince = null;
  }

  end(end: End, at: number): void {
    this.goesOn(at);
    this.ended = { ...end, at };
  }

  lines({ width, expanded, now }: Look): readonly string[] {
    const { paint } = this.style;
    const { ended, steps, waitsSince, waitedMs, since } = this;
    const last = ended ?? steps.at(-1) ?? { text: "", tone: "dim" as const };
    const until = ended?.at ?? waitsSince ?? now;
    const time = paint("dim", span(Math.max(0, until - since - waitedMs)));
    const isBad = ended !== null && ended.tone === "bad";
    const words = [this.changed, isBad ? "failed" : oneLine(last.text)].filter((part) => part !== "");
    const mark = ended ? paint(ended.tone, ended.glyph) : paint("busy", "▶");
    const head = `${mark} ${paint("dim", `#${this.task}`)} `;
    const who = `${paint(colourOf(this.by), this.by)}`;
    const told = words.length === 0 ? "" : ` ${paint(last.tone, words.join(" · "))}`;
    // The subject gives room to what is new.
    const room = width - columns(`#${this.task} ${this.by}`) - 14;
    const subject =
      told === ""
        ? this.subject
        : shortened(this.subject, Math.max(12, Math.floor(room * (width < NARROW ? 0.45 : 0.5))));
    const line = spread(`${head}${subject} ${who}${told}`, time, width);
    const reason = isBad ? wrapped(safe(ended.text), width, "    ").slice(0, REASON_LINES) : [];
    if (!expanded) return [line, ...reason.map((one) => paint("bad", one))];
    const all = ended ? [...steps, ended] : steps;
    return [
      line,
      ...all.flatMap(({ text, tone }) => wrapped(safe(text), width, "    ").map((one) => paint(tone, one))),
    ];
  }

  /** "2 files +10 −3" */
  private get changed(): string {
    const { files } = this;
    if (files.size === 0) return "";
    const all = [...files.values()];
    const sum = (nth: 0 | 1): number => all.reduce((total, counts) => total + counts[nth], 0);
    return `${counted(files.size, "file")} +${sum(0)} −${sum(1)}`;
  }
}

/** Facts of one kind that came one after the other: a line says them together, opened each has a line. */
export class SeveralBlock implements Block {
  readonly kind: string;
  private readonly style: Style;
  private readonly facts: Event[] = [];
  private readonly told: (Told & { readonly who: string })[] = [];
  private readonly together: (facts: readonly Event[]) => string;

  constructor(style: Style, kind: string, together: (facts: readonly Event[]) => string) {
    this.style = style;
    this.kind = kind;
    this.together = together;
  }

  add(who: string, told: Told, fact: Event): void {
    this.told.push({ who, ...told });
    this.facts.push(fact);
  }

  lines({ width, expanded }: Look): readonly string[] {
    const { paint } = this.style;
    const line = (who: string, text: string): string =>
      shortened(`${paint("dim", "·")} ${named(who, paint)}${oneLine(text)}`, width);
    if (this.told.length === 1 || expanded)
      return this.told.map(({ who, text, tone }) => line(who, paint(tone, text)));
    const [first] = this.told;
    const isOfOne = this.told.every(({ who }) => who === first?.who);
    return [line(isOfOne ? (first?.who ?? "") : "", this.together(this.facts))];
  }
}
