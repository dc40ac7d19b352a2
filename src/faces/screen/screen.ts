/**
 * The full screen: feed, panel, card of a question, team strip, editor and a line of hints, always as many lines as the terminal
 * has. It shows the state that others change, and passes on what the person types.
 */
import { basename } from "node:path";
import { LEAD, type Name, type RequestId } from "../../core/ids.ts";
import { canBeInterrupted } from "../../core/views/retry.ts";
import type { Store } from "../../ports/index.ts";
import { Answering } from "./ask/answering.ts";
import { CardQuestions } from "./ask/questions.ts";
import { Canvas } from "./draw/canvas.ts";
import { Help } from "./draw/help.ts";
import { type Mouse, mouseOf } from "./draw/mouse.ts";
import { EscKey, Notice } from "./draw/notice.ts";
import { type Drawn, NOTHING_DRAWN, pictureOf } from "./draw/picture.ts";
import { type Style, styleOf } from "./draw/style.ts";
import { Theme } from "./draw/theme.ts";
import { Completion } from "./editor/completion.ts";
import { Prompt } from "./editor/prompt.ts";
import type { Handlers, ScreenOptions, Watch } from "./handlers.ts";
import { type ActionName, actionOf, eachPanel, keyHint } from "./keys.ts";
import type { PanelName } from "./panels/names.ts";
import { newsLine, printed } from "./story/blocks.ts";
import { Calls } from "./story/calls.ts";
import { type Block, Feed } from "./story/feed.ts";
import { takeQueued } from "./story/queued.ts";
import type { TeamModel } from "./story/team.ts";
import { ScreenTools } from "./tools.ts";
import { PanelView } from "./views/panel-view.ts";

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const TICK_MS = 250;
const CARD_STEP = 5; // lines by which a long card is scrolled

export class Screen {
  readonly style: Style;
  readonly questions: CardQuestions;
  readonly calls: Calls;
  readonly watches: boolean;
  readonly tools: ScreenTools;
  /** The messages before the team is open. */
  private readonly early = new Feed();
  private readonly canvas: Canvas;
  readonly editor: Prompt;
  private readonly handlers: Handlers;
  private readonly began = Date.now();
  private readonly tick: NodeJS.Timeout;
  private readonly panel: PanelView;
  private readonly answering: Answering;
  private team: TeamModel | null = null;
  private store: Store | null = null;
  private at: Name = LEAD;
  private expanded = false;
  private frame = 0;
  private cardScroll = 0;
  private readonly help = new Help();
  private drawn: Drawn = NOTHING_DRAWN;
  private readonly esc = new EscKey();
  readonly notice = new Notice();
  /** The model of the lead. */
  model = "";

  constructor({ call, commands, models, handlers, greeting }: ScreenOptions) {
    this.handlers = handlers;
    this.watches = handlers.watch !== undefined;
    const theme = new Theme(call.out);
    this.style = styleOf({ ...call.out, paint: theme.paint });
    if (greeting) this.early.add(printed(this.style.paint("dim", greeting)));
    this.canvas = new Canvas(this.picture, this.key);
    this.panel = new PanelView(this.style, this, call);
    const place = { name: basename(call.cwd), cwd: call.cwd, env: call.env };
    this.calls = new Calls(place, (text) => void process.stdout.write(text));
    this.questions = new CardQuestions(() => {
      this.cardScroll = 0;
      this.calls.waiting(this.questions.count, this.questions.newest);
      this.changed();
    });
    const completion = new Completion(call.cwd, commands, () => this.team, models);
    this.editor = new Prompt(this.canvas, this.style, call.cwd, completion);
    this.editor.onSubmit = (text) => this.submit(text);
    const [note, changed] = [this.note.bind(this), this.changed.bind(this)];
    const { canvas, editor, style, questions } = this;
    const said = { note, changed, feed: () => this.feed };
    this.tools = new ScreenTools({ canvas, editor, style, theme, env: call.env, ...said });
    for (const fault of this.tools.faults) this.warn(fault);
    this.answering = new Answering({
      ...{ questions, editor, note, style },
      ...{ at: () => this.at, store: () => this.store },
      ...{ view: (view) => this.tools.show(view), run: (line) => this.submit(line) },
    });
    this.tick = setInterval(() => this.onTick(), TICK_MS).unref();
    this.canvas.enter();
  }

  /** The team is open. */
  show(team: TeamModel, store: Store): void {
    this.team = team;
    this.store = store;
    team.main.append(this.early);
    this.changed();
  }

  changed(): void {
    this.canvas.requestRender();
  }

  /** Painted text, such as the result of a command, at the end of the feed that is shown. */
  readonly say = (text: string): void => void (text.trim() !== "" && this.put(printed(text)));

  put(block: Block): void {
    this.add(block);
    this.feed.toEnd();
  }

  warn(text: string): void {
    this.add(newsLine(this.style, "", text, "warn", 8));
  }

  /** Where a view hides the feed, the last line shows the beginning for a moment. */
  private add(block: Block): void {
    this.feed.add(block);
    const look = { width: this.canvas.terminal.columns, expanded: false, frame: "", now: Date.now() };
    const said = this.tools.hasView && block.lines(look).find((line) => line.trim() !== "");
    if (said) this.notice.say(said);
    this.changed();
  }

  /** For a few seconds in the last line. */
  note(text: string): void {
    this.notice.say(text);
    this.changed();
  }

  /** A line that was not sent is there again, before one that has been begun. */
  giveBack(line: string): void {
    this.editor.setText([line, this.editor.getText()].filter((text) => text !== "").join("\n"));
  }

  readonly judge = (id: RequestId) => this.questions.goTo(id) && this.answering.opensWhole();

  /** Enters a teammate, or returns to the lead. */
  enter(who: Name): void {
    this.at = who;
    this.questions.lookAt(who);
    const reading = this.store && who !== LEAD ? this.team?.story(who).readOn(this.store) : null;
    reading?.then(this.changed.bind(this), () => {});
    this.note(
      who === LEAD || this.watches ? "" : `what you type goes to ${who} · ${keyHint("back", "lead")}`,
    );
  }

  /** Shows in the story of the team what concerns one member; "" for everything. */
  filter(who: string): void {
    if (who !== "") this.enter(LEAD);
    this.feed.filter(who);
  }

  open(panel: PanelName | null): void {
    this.panel.open(panel);
    this.refreshPanel();
    this.changed();
  }

  /** Events came: open views are read again. */
  refreshPanel(): void {
    if (this.team && this.store) this.panel.refresh(this.team, this.store);
  }

  /** Gives the terminal back for a while. */
  readonly leave = (): Promise<void> => this.canvas.leaveQuietly();
  readonly enterAgain = (): void => this.canvas.enter();

  async close(): Promise<void> {
    clearInterval(this.tick);
    await this.canvas.leaveQuietly();
    this.tools.close(this.team?.main ?? this.early);
  }

  private get feed(): Feed {
    if (!this.team) return this.early;
    return this.at === LEAD ? this.team.main : this.team.story(this.at).feed;
  }

  private onTick(): void {
    const isBusy = [...(this.team?.picture.members.values() ?? [])].some(canBeInterrupted);
    if (isBusy) this.frame += 1;
    this.calls.working(isBusy || this.questions.count > 0, Date.now());
    if (this.panel.name !== null) this.refreshPanel();
    this.tools.refresh();
    if (this.notice.passes() || isBusy || this.questions.count > 0 || this.panel.name !== null)
      this.changed();
  }

  /** A line as it was typed: an answer, a command, or a message. */
  submit(text: string): void {
    if (text.trim() === "" || this.answering.submit(text)) return;
    if (!this.watches) this.editor.keep(text);
    if (!text.startsWith("/")) this.feed.filter("");
    this.feed.toEnd();
    this.handlers.submit(text, this.at);
  }

  private readonly key = (data: string): void => {
    if (this.calls.takes(data) || this.tools.takesBackground(data) || this.help.takes(data)) return;
    this.answering.begins();
    const mouse = mouseOf(data);
    if (!mouse) this.notice.pressed(actionOf(data, true) ?? "");
    if (this.tools.hasKeys) this.tools.takes(data);
    else if (mouse) this.mouse(mouse);
    else if (this.handlers.watch) this.watchKey(data, this.handlers.watch);
    else if (
      !this.tools.takes(data) &&
      !this.editor.takesForSearch(data) &&
      !this.panel.takes(data, this.editor.isEmpty) &&
      !this.answering.takes(data)
    ) {
      const action = actionOf(data, this.editor.isEmpty);
      if (!action || this.actions[action]() === false) this.editor.handleInput(data);
    }
  };

  private watchKey(data: string, watch: Watch): void {
    const own = this.panel.isFiltering ? null : watch.actionOf(data);
    const action = own ?? (this.panel.takes(data, true) ? "taken" : actionOf(data, true));
    if (action && action !== "taken") this.actions[action]();
  }

  /** An action that returns false leaves its key to the editor. */
  private readonly actions: Readonly<Record<ActionName, () => unknown>> = {
    interrupt: () => this.handlers.ctrlC(),
    suspend: () => this.canvas.suspend(),
    redraw: () => this.canvas.redraw(),
    expand: () => {
      this.expanded = !this.expanded;
    },
    panels: () => this.open(this.panel.following()),
    help: () => this.help.open(),
    mode: () => this.note(this.handlers.nextMode((text) => this.warn(text))),
    member: () => this.enter(this.team?.following(this.at) ?? LEAD),
    "member-before": () => this.enter(this.team?.following(this.at, -1) ?? LEAD),
    back: () => (this.at === LEAD ? false : this.enter(LEAD)),
    "page-up": () => this.page(-1),
    "page-down": () => this.page(1),
    end: () => this.feed.toEnd(),
    leave: () => this.handlers.leave(),
    editor: () => void this.tools.editOutside(),
    paste: () => void this.tools.paste(),
    find: () => this.answering.opensWhole() || this.tools.find.open(),
    "next-question": () => this.questions.count > 0 && this.questions.next(),
    "take-back": () =>
      !this.watches &&
      !this.editor.wasCleared &&
      takeQueued(this.store, this.team?.stories.get(this.at), this),
    close: () => !this.editor.isShowingAutocomplete() && this.escape(),
    ...eachPanel((name) => () => this.open(this.panel.name === name ? null : name)),
  };

  private mouse({ scroll, row, column }: Mouse): void {
    if (scroll !== 0) this.feed.scroll(scroll);
    const { members, membersFrom } = this.drawn;
    const member = row === null || column < membersFrom ? undefined : members.get(row);
    if (member !== undefined) this.enter(member);
  }

  private escape(): void {
    if (this.panel.name !== null) this.open(null);
    else if (this.feed.only !== "") this.filter("");
    else if (this.at === LEAD) this.handlers.interrupt(LEAD);
    else if (this.esc.means === null) this.note(keyHint("back", "returns to the lead"));
    else if (this.esc.means === "returns") this.enter(LEAD);
    else this.handlers.interrupt(this.at); // a second press finds nothing to interrupt, and stays
  }

  private page(direction: 1 | -1): void {
    if (this.drawn.overflows && this.feed.follows)
      this.cardScroll = this.drawn.cardScroll + direction * CARD_STEP;
    else this.feed.page(direction);
  }

  private readonly picture = (width: number, height: number): readonly string[] => {
    const { at, expanded, feed, team, style, questions, panel, model, began, cardScroll, help } = this;
    const view = this.tools.lines(width, height, questions.count > 0, this.notice.text);
    if (view) return view;
    this.drawn = pictureOf(
      {
        ...{ at, expanded, feed, team, style, questions, panel, model, began, cardScroll, help },
        editor: this.watches ? [] : this.editor.render(width),
        notice: this.tools.find.hint || this.editor.hint || this.notice.text,
        ...{ stopKey: this.handlers.stopKey, watch: this.handlers.watch, mode: this.handlers.mode() },
        isUsedUp: this.handlers.isUsedUp?.() ?? false,
        frame: FRAMES[this.frame % FRAMES.length] ?? "",
        now: Date.now(),
      },
      { width, height },
    );
    this.esc.shown(this.drawn.esc);
    if (this.drawn.asks) questions.shown(Date.now(), this.drawn.showsChange);
    return this.drawn.lines;
  };
}
