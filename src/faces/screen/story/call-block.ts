/** A tool call: a spinner and the last three lines of its output while it runs, then how it ended; an edit shows its diff. */
import type { ToolCall } from "../../../core/conversation/chat.ts";
import { ourName } from "../../../core/tool-names.ts";
import { callText } from "../../../core/views/call-text.ts";
import { shownCall } from "../../../core/views/shown-call.ts";
import { does, noOf } from "../../../core/views/verbs.ts";
import { span } from "../../../core/views/view.ts";
import { type Change, changeOf, diffLines } from "../draw/diff.ts";
import { Kept } from "../draw/kept.ts";
import { lastLines, oneLine, type Style, safe, shortened, wrapped } from "../draw/style.ts";
import { keyHint } from "../keys.ts";
import type { Block, Look } from "./feed.ts";

/** Lines of output below a call: while it runs, and when it has ended. */
const TAIL_LINES = 3;
const FAILED_LINES = 8;
const EXPANDED_LINES = 400;
const DIFF_LINES = 24;
/** Of output that is still coming. */
const TAIL_MAX = 4_000;

export class CallBlock implements Block {
  readonly call: ToolCall;
  readonly since: number;
  private readonly style: Style;
  private readonly kept = new Kept();
  private readonly change: Change | null;
  private tail = "";
  private waitsSince: number | null = null;
  private waitedMs = 0;
  private ended: { readonly text: string; readonly isError: boolean; readonly ms: number } | null = null;
  /** What the person said instead of a yes. */
  private no: string | null = null;

  constructor(style: Style, call: ToolCall, since: number) {
    this.style = style;
    this.call = call;
    this.since = since;
    this.change = changeOf(call);
  }

  /** "runs npm test" */
  get title(): string {
    return oneLine(does(ourName(this.call.tool), callText(this.call)));
  }

  /** Once an edit has succeeded. */
  get edited(): Change | null {
    return this.ended && !this.ended.isError ? this.change : null;
  }

  get lastLines(): readonly string[] {
    return lastLines(this.tail, TAIL_LINES);
  }

  output(text: string): void {
    if (this.ended === null) this.tail = (this.tail + text).slice(-TAIL_MAX);
  }

  end(text: string, isError: boolean, at: number): void {
    this.no = isError ? noOf(text) : null;
    // A command that ended with another code than 0 has failed, whatever the model makes of it.
    const failed = shownCall(this.call).kind === "command" && /\[exit code [1-9]\d*\]\s*$/.test(text);
    this.ended = { text, isError: isError || failed, ms: this.took(at) };
  }

  /** A person is asked about it. */
  waits(at: number): void {
    this.waitsSince ??= at;
  }

  goesOn(at: number): void {
    if (this.waitsSince !== null) this.waitedMs += at - this.waitsSince;
    this.waitsSince = null;
  }

  /** Without the time in which a person thought. */
  private took(at: number): number {
    return Math.max(0, (this.waitsSince ?? at) - this.since - this.waitedMs);
  }

  lines(look: Look): readonly string[] {
    if (this.ended === null) return this.runningLines(look);
    return this.kept.lines(`${look.width} ${look.expanded}`, () => this.endedLines(look));
  }

  private runningLines({ width, frame, now }: Look): string[] {
    const { paint } = this.style;
    const time = span(this.took(now));
    return [
      "",
      `${paint("busy", frame)} ${this.titleIn(width - 4 - time.length)} ${paint("dim", time)}`,
      ...this.lastLines.map((line) => paint("dim", shortened(`  │ ${line}`, width))),
    ];
  }

  private endedLines({ width, expanded }: Look): string[] {
    const { paint } = this.style;
    const { text, isError, ms } = this.ended ?? { text: "", isError: false, ms: 0 };
    const time = ms >= 1_000 ? ` ${paint("dim", span(ms))}` : "";
    const { no } = this;
    if (no !== null)
      return [
        "",
        `${paint("warn", "■")} ${this.titleIn(width - 10)}`,
        paint("strong", shortened(`  │ ${oneLine(no)}`, width)),
      ];
    const head = `${isError ? paint("bad", "✗") : paint("good", "●")} ${this.titleIn(width - 10)}${time}`;
    const below = (line: string): string => shortened(`  │ ${line}`, width);
    if (this.change && !isError) {
      const shown = diffLines(this.change, text, this.style.paint);
      const kept = expanded ? shown.slice(0, EXPANDED_LINES) : shown.slice(0, DIFF_LINES);
      return [
        "",
        head,
        ...kept.map((line) => shortened(`    ${line}`, width)),
        ...this.more(shown.length - kept.length),
      ];
    }
    const whole = safe(text).trimEnd();
    if (expanded) {
      const all = wrapped(whole, width - 4);
      const kept = all.slice(0, EXPANDED_LINES);
      return [
        "",
        head,
        ...kept.map((line) => paint("dim", below(line))),
        ...this.more(all.length - kept.length),
      ];
    }
    const all = whole.split("\n").filter((line) => line.trim() !== "");
    // The end of a failure says most; the text of a file that was read is not shown.
    const kept = isError
      ? all.slice(-FAILED_LINES)
      : shownCall(this.call).kind === "command"
        ? all.slice(-TAIL_LINES)
        : [];
    const tone = isError ? "warn" : "dim";
    const hidden = all.length - kept.length;
    return [
      "",
      head,
      ...(kept.length > 0 ? this.more(hidden, "earlier ") : []),
      ...kept.map((line) => paint(tone, below(line))),
    ];
  }

  private more(count: number, what = ""): string[] {
    const key = keyHint("expand", "shows them");
    return count > 0 ? [this.style.paint("dim", `  │ … ${count} ${what}lines${key && ` (${key})`}`)] : [];
  }

  private titleIn(width: number): string {
    const { title } = this;
    const verb = title.slice(0, Math.max(0, title.length - oneLine(callText(this.call)).length)).trimEnd();
    return `${this.style.paint("strong", verb)}${shortened(title.slice(verb.length), Math.max(8, width - verb.length))}`;
  }
}
