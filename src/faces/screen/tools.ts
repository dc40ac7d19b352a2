/** Holds what a person uses beside typing: search in the story, the person's own editor, the clipboard, a view on the whole screen. */
import { matchesKey } from "@earendil-works/pi-tui";
import { mention } from "../../core/conversation/image.ts";
import { isSeen, SEEN_MS } from "./ask/questions.ts";
import type { Canvas } from "./draw/canvas.ts";
import { Find } from "./draw/find.ts";
import { forgetKept } from "./draw/kept.ts";
import { mouseOf } from "./draw/mouse.ts";
import { type Style, shortened } from "./draw/style.ts";
import { ASK_BACKGROUND, backgroundIn, type Theme, type ThemeName } from "./draw/theme.ts";
import { readClipboard } from "./editor/clipboard.ts";
import { type Edited, editOutside } from "./editor/outside-editor.ts";
import type { Prompt } from "./editor/prompt.ts";
import { applyOwnSettings } from "./own-settings.ts";
import type { Feed } from "./story/feed.ts";
import { showThoughts } from "./story/thoughts.ts";

/** A turn of the wheel as keys. */
const [UP, DOWN] = ["\x1b[A", "\x1b[B"];
const WAITS = " a question waits; close this view to answer it";

/** The line of a view that has come by itself, while keys are not for it. */
const NEW = "a new question";

/** Takes the whole screen and all keys until it closes. */
export interface FullView {
  lines(width: number, height: number): readonly string[];
  key(data: string): void;
  /** It shows the question that waits. */
  readonly answers?: true;
  /** Ctrl-C has closed it. */
  closed?(): void;
  /** A quarter of a second has passed. */
  refresh?(): void;
}

type Place = {
  readonly canvas: Pick<Canvas, "leave" | "enter" | "quiet" | "terminal">;
  readonly editor: Prompt;
  readonly env: NodeJS.ProcessEnv;
  readonly theme: Theme;
  readonly style: Style;
  feed(): Feed;
  note(text: string): void;
  changed(): void;
};

export class ScreenTools {
  readonly find: Find;
  /** The faults in the person's file. */
  readonly faults: readonly string[];
  /** The story stays on the normal screen. */
  readonly leavesStory: boolean;
  /** The terminal belongs to an editor. */
  isAway = false;
  private view: FullView | null = null;
  /** When a frame showed the view first; 0 for one that the person has opened. */
  shownAt: number | null = null;
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
    this.find = new Find(place.feed);
    const { settings, faults } = applyOwnSettings();
    this.useTheme(settings.theme);
    showThoughts(settings.thoughts);
    this.leavesStory = settings.scrollback;
    this.faults = faults;
  }

  /** The normal screen is there again. */
  close(story: Feed): void {
    const look = { width: this.place.canvas.terminal.columns, expanded: false, frame: "", now: Date.now() };
    const lines = this.leavesStory ? story.all(look) : [];
    if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n\n`);
  }

  get theme(): ThemeName {
    return this.place.theme.current;
  }

  useTheme(name: ThemeName): void {
    this.place.theme.use(name);
    if (name === "auto") process.stdout.write(ASK_BACKGROUND);
    forgetKept();
    this.place.changed();
  }

  /** `isAsked`: the person has opened it. Any other takes keys when it could be read; those before it stay with the editor. */
  show(view: FullView | null, isAsked = true): void {
    this.view = view;
    this.shownAt = isAsked ? 0 : null;
    this.place.changed();
  }

  get hasView(): boolean {
    return this.view !== null;
  }

  get hasKeys(): boolean {
    return this.view !== null && isSeen(this, Date.now());
  }

  /** Reads on what the view shows. */
  refresh(): void {
    this.view?.refresh?.();
  }

  /** All lines of the screen; null without a view. `asks`: a question waits. `notice`: for a moment instead of the last line. */
  lines(width: number, height: number, asks: boolean, notice: string): readonly string[] | null {
    if (!this.view) return null;
    if (this.shownAt === null) {
      this.shownAt = Date.now();
      setTimeout(this.place.changed, SEEN_MS).unref();
    }
    const below = asks && !this.view.answers ? [this.place.style.paint("warn", shortened(WAITS, width))] : [];
    const room = height - below.length;
    const lines = [...this.view.lines(width, room)];
    const said = notice === "" && !this.hasKeys ? this.place.style.paint("dim", NEW) : notice;
    const last = said === "" ? lines.slice(room - 1, room) : [shortened(` ${said}`, width)];
    const empty = Array.from({ length: Math.max(0, room - 1 - lines.length) }, () => "");
    return [...lines.slice(0, room - 1), ...empty, ...last, ...below];
  }

  /** Whether the input was the terminal's answer about its background. */
  takesBackground(data: string): boolean {
    const background = backgroundIn(data);
    if (background === null) return false;
    if (this.theme === "auto") this.place.theme.use("auto", background);
    forgetKept();
    return true;
  }

  /** Whether the input was for a view or the search. */
  takes(data: string): boolean {
    const { view } = this;
    if (!view || !this.hasKeys) return this.find.takes(data);
    const mouse = mouseOf(data);
    if (matchesKey(data, "ctrl+c")) {
      this.show(null);
      view.closed?.();
    } else if (!mouse) view.key(data);
    else for (let i = 0; i < Math.abs(mouse.scroll); i += 1) view.key(mouse.scroll < 0 ? UP : DOWN);
    return true;
  }

  /** The line that is being typed, in the editor of the person. */
  readonly editOutside = async (): Promise<void> => {
    const { editor, note } = this.place;
    const edited = await this.outside(editor.getExpandedText());
    if (edited === null) return;
    if ("fault" in edited) note(`your line is as it was: ${edited.fault}`);
    else editor.setText(edited.text);
    this.place.changed();
  };

  /** A text in the editor of the person; null where an editor is open already. */
  async outside(text: string): Promise<Edited | null> {
    const { canvas, env } = this.place;
    if (this.isAway) return null;
    this.isAway = true;
    await canvas.quiet();
    const terminal = { leave: () => canvas.leave(), enter: () => canvas.enter() };
    return await editOutside(text, env, terminal).finally(() => {
      this.isAway = false;
    });
  }

  /** An image becomes the word for a file, a text is inserted. */
  readonly paste = async (): Promise<void> => {
    const { editor, env, note } = this.place;
    const clip = await readClipboard(env);
    if (clip.kind === "nothing") note(clip.why);
    else if (clip.kind === "text") editor.handleInput(`\x1b[200~${clip.text}\x1b[201~`);
    else editor.insertTextAtCursor(`${mention(clip.path)} `);
    this.place.changed();
  };
}
