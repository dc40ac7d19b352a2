/** `/task`: one task on the full screen: details with its history, the conversations of its owners, and its change. Keys act on it. */
import { matchesKey } from "@earendil-works/pi-tui";
import { messageOf } from "../../../core/errors.ts";
import { PERSON, type TaskId } from "../../../core/ids.ts";
import { type ListedTask, listed } from "../../../core/picture/looks.ts";
import { look, taskViews } from "../../../core/views/board.ts";
import { counted, money, span, tokens } from "../../../core/views/view.ts";
import type { Store } from "../../../ports/index.ts";
import { task as readTask } from "../../../team/queries/board.ts";
import { OutcomeReader } from "../../../team/queries/outcome.ts";
import { taskChange } from "../../../team/queries/task-change.ts";
import { TaskLife, type Try } from "../../../team/queries/task-life.ts";
import { lines as viewLines } from "../../kit/print.ts";
import type { Terminal } from "../../kit/terminal.ts";
import { diffLine } from "../draw/highlight.ts";
import { type Action, isLook } from "../draw/list.ts";
import { oneLine, phrases, type Style, shortened, spread } from "../draw/style.ts";
import { taskActions } from "../panels/board.ts";
import { printed } from "../story/blocks.ts";
import { Feed } from "../story/feed.ts";
import { Story } from "../story/story.ts";
import type { TeamModel } from "../story/team.ts";
import type { FullView } from "../tools.ts";
import { type ReviewRow, reviewRows } from "./review-rows.ts";

const AGAIN_MS = 500;
/** A change of a task in progress: git compares the whole worktree. */
const CHANGE_AGAIN_MS = 2_000;
const TABS = ["details", "conversation", "changes"] as const;
const PARTS_WIDTH = TABS.join("").length + 4 * TABS.length + 2;
type Tab = (typeof TABS)[number];
const KEYS = ["tab next part", "↑↓ pgup pgdn scroll", "ctrl+o in full", "esc closes"];
const LEADS_AWAY = /^\/to /;

type Place = {
  readonly style: Style;
  readonly out: Terminal;
  readonly cwd: string;
  readonly store: Store;
  readonly team: TeamModel;
  /** The person only looks. */
  readonly watches: boolean;
  /** Runs a line as if it had been typed. */
  submit(line: string): void;
  /** Into the editor, to be finished. */
  giveBack(text: string): void;
  close(): void;
  now(): number;
  changed(): void;
};

type Told = { readonly of: Try; readonly story: Story; isRead: boolean };
type Rows = (width: number) => readonly string[];

export class TaskView implements FullView {
  private readonly id: TaskId;
  private readonly place: Place;
  private readonly life: TaskLife;
  private readonly outcome: OutcomeReader;
  /** The conversations of all tries, one after the other. */
  private readonly conversation = new Feed();
  private readonly told: Told[] = [];
  private readonly rows: Record<Exclude<Tab, "conversation">, Rows> = {
    details: () => [],
    changes: () => [],
  };
  private readonly tops = { details: 0, changes: 0 };
  private tab: Tab = "details";
  private task: ListedTask | null = null;
  private changeReadAt = Number.NEGATIVE_INFINITY;
  private expanded = false;
  private height = 1;
  /** Waits for its second time. */
  private asked: Action | null = null;
  private said = "";
  private reading: Promise<void> = Promise.resolve();
  private isReading = false;
  private readAt = 0;

  constructor(id: TaskId, place: Place) {
    this.id = id;
    this.place = place;
    this.life = new TaskLife(place.store.journal, id);
    this.outcome = new OutcomeReader(place.store, place.cwd);
  }

  /** Reads what is new, after a reading that continues. @throws EkidenError `not_found` */
  read(): Promise<void> {
    this.readAt = this.place.now();
    this.reading = this.reading.catch(() => {}).then(() => this.readOn());
    return this.reading;
  }

  refresh(): void {
    if (this.isReading || this.place.now() - this.readAt < AGAIN_MS) return;
    this.isReading = true;
    this.read()
      .catch((error) => {
        this.said = messageOf(error);
      })
      .finally(() => {
        this.isReading = false;
        this.place.changed();
      });
  }

  private async readOn(): Promise<void> {
    const { place, life, id } = this;
    const isNew = await life.readOn();
    const isFirst = this.task === null;
    this.task = listed(place.team.picture, place.now()).find((task) => task.id === id) ?? this.task;
    if (isNew || isFirst) await this.readDetails();
    await this.readConversations();
    if (isNew) this.changeReadAt = Number.NEGATIVE_INFINITY;
    const grows = this.task?.status === "in_progress" && place.now() - this.changeReadAt > CHANGE_AGAIN_MS;
    const isUnread = this.changeReadAt === Number.NEGATIVE_INFINITY;
    if (this.tab === "changes" && (isUnread || grows)) await this.readChange();
  }

  private async readDetails(): Promise<void> {
    const views = taskViews(await readTask(this.place.store, this.id));
    this.rows.details = (width) =>
      views.flatMap((view) => [...viewLines({ ...this.place.out, width: () => width }, view), ""]);
  }

  private async readConversations(): Promise<void> {
    const { store, style } = this.place;
    for (const one of this.life.tries.slice(this.told.length)) {
      this.conversation.add(printed(style.paint("strong", `${one.by} · try ${one.attempt}`)));
      const story = new Story(one.by, this.conversation, style, one.from);
      // The person has no conversation.
      this.told.push({ of: one, story, isRead: one.by === PERSON });
    }
    for (const one of this.told.filter(({ isRead }) => !isRead)) {
      one.isRead = one.of.until !== null;
      await one.story.readOn(store, one.of.until ?? undefined);
    }
  }

  private async readChange(): Promise<void> {
    const { store, cwd, style } = this.place;
    const { paint } = style;
    this.changeReadAt = this.place.now();
    const data = await store.board.task(this.id);
    if (!data) return;
    const { tasks } = await this.outcome.read(false);
    const wrote = Object.entries(tasks).flatMap(([path, ids]) => (ids.includes(this.id) ? [path] : []));
    const { diff, where } = await taskChange(store, cwd, data, this.life.history, wrote);
    const text = diff === "" ? "This task has changed no file yet." : where;
    const rows = reviewRows(diff, "", () => "").slice(1);
    this.rows.changes = (width) => [
      paint("dim", shortened(text, width)),
      ...rows.flatMap((row) => [
        ...(row.kind === "file" ? [""] : []),
        shortened(changeRow(row, style), width),
      ]),
    ];
  }

  lines(width: number, height: number): readonly string[] {
    const { style } = this.place;
    const { paint } = style;
    const foot = this.foot(width);
    const room = Math.max(1, height - 3 - foot.length);
    this.height = room;
    const body = this.body(width - 2, room).map((line) => (line === "" ? "" : ` ${line}`));
    return [
      ...this.head(width),
      paint("dim", "─".repeat(width)),
      ...body,
      ...Array.from({ length: room - body.length }, () => ""),
      ...foot,
    ];
  }

  private head(width: number): string[] {
    const { paint } = this.place.style;
    const { task, id, life, tab } = this;
    const subject = paint("strong", ` #${id} ${oneLine(task?.subject ?? "")}`);
    const parts = TABS.map((name, i) =>
      name === tab ? paint("busy", `[${i + 1} ${name}]`) : paint("dim", ` ${i + 1} ${name} `),
    );
    return [
      task ? spread(subject, stateOf(task, this.place.style), width) : subject,
      spread(parts.join(""), paint("dim", costOf(life, width - PARTS_WIDTH)), width),
    ];
  }

  private body(width: number, room: number): readonly string[] {
    const { tab, expanded, tops } = this;
    if (tab === "conversation")
      return this.life.tries.length === 0
        ? [this.place.style.paint("dim", "Nobody has worked on it yet.")]
        : this.conversation.window({ width, expanded, frame: "▶", now: this.place.now() }, room);
    const rows = this.rows[tab](width);
    tops[tab] = Math.max(0, Math.min(tops[tab], rows.length - room));
    return rows.slice(tops[tab], tops[tab] + room);
  }

  private foot(width: number): string[] {
    const { paint } = this.place.style;
    if (this.said !== "") return [paint("warn", shortened(` ${this.said}`, width))];
    const words = [...this.actions.map(({ key, word }) => `${key} ${word}`), ...KEYS];
    return phrases(words, width - 2).map((line) => paint("dim", ` ${line}`));
  }

  /** The actions that this task allows now. */
  private get actions(): readonly Action[] {
    const { task, place } = this;
    const all = task ? taskActions(task).filter(({ key }) => key !== "enter") : [];
    return place.watches ? all.filter(isLook) : all;
  }

  key(data: string): void {
    const { asked } = this;
    this.asked = null;
    this.said = "";
    const page = Math.max(1, this.height - 2);
    const moves: Readonly<Record<string, () => void>> = {
      up: () => this.scroll(-1),
      k: () => this.scroll(-1),
      down: () => this.scroll(1),
      j: () => this.scroll(1),
      pageUp: () => this.scroll(-page),
      pageDown: () => this.scroll(page),
      space: () => this.scroll(page),
      home: () => this.scroll(Number.NEGATIVE_INFINITY),
      end: () => this.scroll(Number.POSITIVE_INFINITY),
      tab: () => this.show(TABS[(TABS.indexOf(this.tab) + 1) % TABS.length]),
      right: () => this.show(TABS[TABS.indexOf(this.tab) + 1]),
      left: () => this.show(TABS[TABS.indexOf(this.tab) - 1]),
      "ctrl+o": () => {
        this.expanded = !this.expanded;
      },
      escape: () => this.place.close(),
      q: () => this.place.close(),
    };
    const move = Object.entries(moves).find(([key]) => matchesKey(data, key as "up"));
    const action = this.actions.find(({ key }) => key === data);
    if (move) move[1]();
    else if (action) this.act(action, asked?.line === action.line);
    else this.show(TABS[Number(data) - 1]);
    this.place.changed();
  }

  private show(tab: Tab | undefined): void {
    if (!tab) return;
    this.tab = tab;
    this.readAt = 0;
    this.refresh();
  }

  private scroll(by: number): void {
    const { tab, conversation } = this;
    if (tab !== "conversation") this.tops[tab] += by;
    else if (by === Number.POSITIVE_INFINITY) conversation.toEnd();
    else if (by === Number.NEGATIVE_INFINITY) conversation.toStart();
    else conversation.scroll(by);
  }

  private act(action: Action, isSecond: boolean): void {
    const { line = "", key, asks } = action;
    const { place } = this;
    if (asks && !isSecond) {
      this.asked = action;
      this.said = `${key} again: ${line.slice(1)}`;
      return;
    }
    if (line.endsWith(" ") || LEADS_AWAY.test(line)) place.close();
    if (line.endsWith(" ")) place.giveBack(line);
    else place.submit(line);
    this.readAt = 0;
  }
}

function stateOf(task: ListedTask, { paint }: Style): string {
  const { glyph, word, tone } = look(task);
  const owner = task.owner ? ` ${task.owner}` : "";
  return `${paint(tone, `${glyph} ${word}`)}${owner} ${paint("dim", `${span(task.ageMs)} `)}`;
}

/** "2 tries · 12 turns · 85k tokens · $0.80 ": as much of its end as fits. */
function costOf({ tries, spent: { turns, tokens: used, usd } }: TaskLife, room: number): string {
  const words = [
    ...(tries.length > 1 ? [`${tries.length} tries`] : []),
    `${counted(turns, "turn")}`,
    ...(used > 0 ? [`${tokens(used)} tokens`] : []),
    ...(usd > 0 ? [money(usd)] : []),
  ];
  while (words.length > 1 && words.join(" · ").length > room) words.shift();
  return `${words.join(" · ")} `;
}

function changeRow(row: ReviewRow, { paint }: Style): string {
  if (row.kind === "line")
    return `${paint("dim", String(row.line).padStart(5))} ${diffLine(row.text, paint)}`;
  return paint(row.kind === "file" ? "strong" : "busy", row.text);
}
