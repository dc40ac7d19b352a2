/** The blocks of a feed: words of the person and of members, thoughts, news, results of commands. Calls: `call-block.ts`. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { Entry } from "../../../core/conversation/chat.ts";
import { CUT_WORDS } from "../../../core/conversation/cut.ts";
import type { MailId } from "../../../core/ids.ts";
import { type Retry, retryWords } from "../../../core/views/retry.ts";
import type { Tone } from "../../../core/views/view.ts";
import { Kept } from "../draw/kept.ts";
import { GrowingMarkdown } from "../draw/markdown.ts";
import { nameOf, oneLine, type Style, safe, shortened, wrapped } from "../draw/style.ts";
import { keyHint } from "../keys.ts";
import type { Block, Look } from "./feed.ts";
import { thoughtsShown } from "./thoughts.ts";

/** A block that never changes: its lines depend on the width and on whether the view is expanded. */
export function fixed(make: (look: Look) => readonly string[]): Block {
  const kept = new Kept();
  return { lines: (look) => kept.lines(`${look.width} ${look.expanded}`, () => make(look)) };
}

/** Lines that are painted already, such as what a slash command prints; broken where the terminal is narrower. */
export const printed = (text: string): Block =>
  fixed(({ width }) => ["", ...wrapped(text.replace(/\n+$/, "").replaceAll("\t", "    "), width)]);

/** A message of the person. `isQueued`: the member has not read it. */
export class PromptBlock implements Block {
  readonly text: string;
  isQueued: boolean;
  /** Null while it is being sent. */
  mail: MailId | null = null;
  /** Null where another terminal sent it. */
  typed: string | null = null;
  private readonly style: Style;
  private readonly to: string;
  private readonly kept = new Kept();

  constructor(style: Style, text: string, to = "", isQueued = false) {
    this.style = style;
    this.text = text;
    this.to = to;
    this.isQueued = isQueued;
  }

  lines({ width }: Look): readonly string[] {
    const { paint } = this.style;
    const { text, to, isQueued } = this;
    return this.kept.lines(`${width} ${isQueued}`, () => [
      "",
      ...wrapped(`${to === "" ? "" : `→ ${to}: `}${safe(text)}`, width, "  ").map((line, i) =>
        i === 0 ? `${paint("busy", "›")} ${paint("strong", line.slice(2))}` : paint("strong", line),
      ),
      ...(isQueued
        ? [paint("dim", shortened("  queued: it is read before the next step; up takes it back", width))]
        : []),
    ]);
  }
}

/** A member's answer, also while it streams. */
export class Answer implements Block {
  readonly markdown: GrowingMarkdown;
  private readonly kept = new Kept();
  private readonly style: Style;
  private cut = "";

  constructor(style: Style, text = "") {
    this.style = style;
    this.markdown = new GrowingMarkdown(style, text);
  }

  /** The reason why it ends here. */
  cutOff(why: string): void {
    this.cut = why;
  }

  lines({ width }: Look): readonly string[] {
    return this.kept.lines(`${width} ${this.markdown.text.length} ${this.cut}`, () => {
      const body = this.markdown.render(width - 2).map((line) => (line === "" ? "" : `  ${line}`));
      const end = this.cut === "" ? [] : [`  ${this.style.paint("warn", `■ ${this.cut}`)}`];
      return ["", ...body, ...end];
    });
  }
}

/** Thoughts: the first line, or all of them when the view is expanded. */
export class Thought implements Block {
  private readonly kept = new Kept();
  private readonly style: Style;
  text: string;

  constructor(style: Style, text = "") {
    this.style = style;
    this.text = text;
  }

  lines({ width, expanded }: Look): readonly string[] {
    const { paint } = this.style;
    return this.kept.lines(`${width} ${expanded} ${this.text.length}`, () => {
      const text = safe(this.text).trim();
      const how = thoughtsShown();
      if (text === "" || how === "hidden") return [];
      if (expanded || how === "shown")
        return ["", ...wrapped(text, width, "  ").map((line) => paint("dim", line))];
      const last = oneLine(text.split("\n").findLast((line) => line.trim() !== "") ?? "");
      return ["", paint("dim", shortened(`  ∴ ${last}`, width))];
    });
  }
}

/** The name of a model is long, and the reason follows it. */
const RETRY_LINES = 2;

/** A provider that does not answer: one line, or two on narrow terminals, which counts down and takes the place of the one before. */
export function retrying({ paint }: Style, who: string, retry: () => Retry): Block {
  return {
    lines: ({ width, now, expanded }) => {
      const head = named(who, paint);
      const { why } = retry();
      const text = `${retryWords(retry(), now)}: ${oneLine(why)}`;
      const room = width - visibleWidth(head) - 2;
      return wrapped(text, room)
        .slice(0, expanded ? Number.POSITIVE_INFINITY : RETRY_LINES)
        .map((line, i) => `${i === 0 ? `${paint("dim", "·")} ${head}` : "  "}${paint("warn", line)}`);
    },
  };
}

/** "alice " or "alice → bob ", each in its colour. */
export const named = (who: string, paint: Style["paint"]): string =>
  who === ""
    ? ""
    : `${who
        .split(" → ")
        .map((name) => nameOf(name, paint))
        .join(" → ")} `;

/** One line of news, or several where it is something to act on. */
export function newsLine({ paint }: Style, who: string, text: string, tone: Tone, most = 1): Block {
  const said = safe(text).trim();
  const head = named(who, paint);
  return fixed(({ width, expanded }) => {
    const room = width - visibleWidth(head) - 2;
    const body = most === 1 && !expanded ? [shortened(oneLine(said), room)] : wrapped(said, room);
    const shown = expanded ? body : body.slice(0, most);
    if (body.length > shown.length)
      shown.push(`… ${body.length - shown.length} more lines (${keyHint("expand", "")})`);
    return shown.map((line, i) => `${i === 0 ? `${paint("dim", "·")} ${head}` : "  "}${paint(tone, line)}`);
  });
}

/** Where the conversation of a model begins again, or further back. */
export const breakWords = (entry: Extract<Entry, { kind: "cut" | "summary" }>): string => {
  if (entry.kind === "cut") return CUT_WORDS;
  return entry.anew ? "a new conversation begins here" : "the conversation was summed up to free its context";
};
