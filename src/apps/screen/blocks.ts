/** The blocks of a feed: words of the person and of members, thoughts, news, results of commands. Calls: `call-block.ts`. */
import { visibleWidth } from "@mariozechner/pi-tui";
import type { Tone } from "../../core/views/view.ts";
import type { Block, Look } from "./feed.ts";
import { GrowingMarkdown } from "./markdown.ts";
import { oneLine, type Style, safe, shortened, wrapped } from "./style.ts";

/** Keeps the lines of a block for as long as nothing changes that they depend on. */
export class Kept {
  private key = "";
  private kept: readonly string[] = [];

  lines(key: string, make: () => readonly string[]): readonly string[] {
    if (key !== this.key) {
      this.kept = make();
      this.key = key;
    }
    return this.kept;
  }
}

/** Lines that are painted already, such as what a slash command prints; broken where the terminal is narrower. */
export class Lines implements Block {
  private readonly kept = new Kept();
  private readonly text: string;

  constructor(text: string) {
    this.text = text.replace(/\n+$/, "");
  }

  lines({ width }: Look): readonly string[] {
    return this.kept.lines(String(width), () => ["", ...wrapped(this.text.replaceAll("\t", "    "), width)]);
  }
}

/** What the person said. */
export class Prompt implements Block {
  private readonly kept = new Kept();
  private readonly style: Style;
  private readonly text: string;
  private readonly to: string;

  constructor(style: Style, text: string, to = "") {
    this.style = style;
    this.text = text;
    this.to = to;
  }

  lines({ width }: Look): readonly string[] {
    const { paint } = this.style;
    return this.kept.lines(String(width), () => [
      "",
      ...wrapped(`${this.to === "" ? "" : `→ ${this.to}: `}${safe(this.text)}`, width, "  ").map((line, i) =>
        i === 0 ? `${paint("busy", "›")} ${paint("strong", line.slice(2))}` : paint("strong", line),
      ),
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

  /** Why it ends here. */
  cutOff(why: string): void {
    this.cut = why;
  }

  lines({ width }: Look): readonly string[] {
    return this.kept.lines(`${width} ${this.markdown.source.length} ${this.cut}`, () => {
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
      if (text === "") return [];
      if (expanded) return ["", ...wrapped(text, width, "  ").map((line) => paint("dim", line))];
      const last = oneLine(text.split("\n").findLast((line) => line.trim() !== "") ?? "");
      return ["", paint("dim", shortened(`  ∴ ${last}`, width))];
    });
  }
}

/** One line of news, or several where it is something to act on. */
export class NewsLine implements Block {
  private readonly kept = new Kept();
  private readonly style: Style;
  private readonly who: string;
  private readonly text: string;
  private readonly tone: Tone;
  private readonly most: number;

  constructor(style: Style, who: string, text: string, tone: Tone, most = 1) {
    this.style = style;
    this.who = who;
    this.text = safe(text).trim();
    this.tone = tone;
    this.most = most;
  }

  lines({ width, expanded }: Look): readonly string[] {
    return this.kept.lines(`${width} ${expanded}`, () => {
      const { paint } = this.style;
      const head = this.who === "" ? "· " : `· ${this.who} `;
      const body =
        this.most === 1 && !expanded
          ? [shortened(oneLine(this.text), width - visibleWidth(head))]
          : wrapped(this.text, width - visibleWidth(head));
      const shown = expanded ? body : body.slice(0, this.most);
      if (body.length > shown.length) shown.push(`… ${body.length - shown.length} more lines (ctrl+o)`);
      return shown.map((line, i) =>
        i === 0
          ? `${paint("dim", "·")} ${this.who === "" ? "" : `${paint("strong", this.who)} `}${paint(this.tone, line)}`
          : `  ${paint(this.tone, line)}`,
      );
    });
  }
}
