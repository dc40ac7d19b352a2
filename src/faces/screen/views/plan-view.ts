/**
 * `/plan`: the planned board as a list on the whole screen, which is edited here and then begun. Each edit is made at once, on the board that
 * all terminals, the page and the lead see: nothing is lost with this process, and the list shows what others change meanwhile.
 */
import { Input, matchesKey } from "@earendil-works/pi-tui";
import { messageOf } from "../../../core/errors.ts";
import { type RequestId, type TaskId, taskId } from "../../../core/ids.ts";
import type { PlanData, PlanField } from "../../../core/plan/plan-views.ts";
import { counted } from "../../../core/views/view.ts";
import { UNDOS_MAX } from "../../../team/plan/edit.ts";
import { List } from "../draw/list.ts";
import { oneLine, phrases, type Style, spread, wrapped } from "../draw/style.ts";
import type { FullView } from "../tools.ts";
import { EDITED, planRow } from "./plan-rows.ts";

/** What was done; `undo` takes it back. */
export type PlanDone = {
  readonly text: string;
  readonly undo?: () => Promise<PlanDone>;
  /** The task to which the cursor goes. */
  readonly shows?: TaskId;
};

export type PlanPlace = {
  readonly style: Style;
  read(): Promise<PlanData>;
  move(id: TaskId, by: 1 | -1): Promise<PlanDone>;
  edit(id: TaskId, field: PlanField, text: string): Promise<PlanDone>;
  add(subject: string): Promise<PlanDone>;
  remove(id: TaskId): Promise<PlanDone>;
  /** The description in the editor of the person. */
  describe(id: TaskId): Promise<PlanDone>;
  /** Other words than "Begin" are for the lead, which plans again. */
  answer(question: RequestId, words: string): Promise<PlanDone>;
  close(said: string): void;
  changed(): void;
  now(): number;
};

/** What is typed: a field of a task, a new task, or words for the lead. */
type Typing = {
  readonly what: { readonly id: TaskId; readonly field: PlanField } | "add" | "again";
  /** What the field read when it was opened, or when the person last heard of a change. */
  before: string;
};

const AGAIN_MS = 500;
const PAGE = 10;
const REMARKS_SHOWN = 3;
const MOVES = { up: -1, k: -1, down: 1, j: 1, pageUp: -PAGE, pageDown: PAGE, home: -1e9, end: 1e9 } as const;
const SOONER = ["shift+up", "K", "+"];
const LATER = ["shift+down", "J", "-"];

export class PlanView implements FullView {
  readonly answers = true;
  private readonly place: PlanPlace;
  private readonly list = new List();
  private data: PlanData | null = null;
  private typing: Typing | null = null;
  private input = new Input({ prompt: "" });
  /** The key that must be pressed a second time, with its task. */
  private asked = "";
  private said = "";
  private readAt = 0;
  private isReading = false;
  /** Edits are made one after the other. */
  private working: Promise<unknown> = Promise.resolve();
  private undos: (() => Promise<PlanDone>)[] = [];

  constructor(place: PlanPlace) {
    this.place = place;
  }

  async read(): Promise<void> {
    this.readAt = this.place.now();
    const data = await this.place.read();
    this.data = data;
    const about = (id: TaskId): number => data.remarks.filter((one) => names(one, id)).length;
    this.list.set(data.tasks.map((task, i) => planRow(task, i + 1, about(task.id), this.place.style)));
    this.place.changed();
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
      });
  }

  lines(width: number, height: number): readonly string[] {
    const { list, data } = this;
    const { paint } = this.place.style;
    const isHeld = data?.question != null;
    const state = isHeld ? "nothing has begun" : "the board is not held";
    const head = [
      spread(
        paint("strong", ` plan · ${counted(data?.tasks.length ?? 0, "task")}`),
        paint("dim", `${state} · ${list.position} `),
        width,
      ),
      ...wrapped(data?.takes ? `it takes ${data.takes}` : "", width - 1, " ").map((line) =>
        paint("dim", line),
      ),
    ];
    const foot = this.foot(width, isHeld);
    const room = Math.max(1, height - head.length - foot.length);
    const rows = list.window(room, (row, isSelected) =>
      row.lines(width - 2).map((line, i) => `${isSelected && i === 0 ? paint("busy", "› ") : "  "}${line}`),
    );
    const empty =
      data?.tasks.length === 0 ? [paint("dim", "  No task is waiting to start. a adds one.")] : [];
    const body = rows.length > 0 ? rows : empty;
    return [...head, ...body, ...Array.from({ length: room - body.length }, () => ""), ...foot];
  }

  private foot(width: number, isHeld: boolean): string[] {
    const { paint } = this.place.style;
    const { id } = this;
    const remarks = (this.data?.remarks ?? []).filter((one) => id !== null && names(one, id));
    const told = remarks
      .slice(0, REMARKS_SHOWN)
      .flatMap((one) => wrapped(`! ${oneLine(one)}`, width - 1, " "))
      .map((line) => paint("warn", line));
    const said =
      this.said === "" ? [] : wrapped(this.said, width - 1, " ").map((line) => paint("busy", line));
    if (this.typing) {
      const { what } = this.typing;
      const prompt =
        what === "add"
          ? "new task"
          : what === "again"
            ? "what the lead is to change"
            : EDITED[what.field].prompt;
      return [
        ...told,
        ...said,
        paint("dim", ` ${prompt}: enter keeps it · esc leaves it`),
        ` ${this.input.render(width - 2)[0] ?? ""}`,
      ];
    }
    const keys = [
      ...(isHeld ? ["s begin", "p plan again"] : []),
      ...Object.values(EDITED).map(({ key, word }) => `${key} ${word}`),
      ...["d description", "K J sooner, later", "x remove", "a add", "u undo", "esc closes"],
    ];
    return [...told, ...said, ...phrases(keys, width - 2).map((line) => paint("dim", ` ${line}`))];
  }

  private get id(): TaskId | null {
    const { selected } = this.list;
    return selected ? taskId(selected.id) : null;
  }

  key(data: string): void {
    if (this.typing) this.type(data, this.typing);
    else this.command(data);
    this.place.changed();
  }

  private command(data: string): void {
    const { list, id, asked, place } = this;
    this.asked = "";
    this.said = "";
    const is = (key: string): boolean => data === key || (key.length > 1 && matchesKey(data, key as "up"));
    const move = Object.entries(MOVES).find(([key]) => is(key));
    const field = Object.entries(EDITED).find(([, { key }]) => data === key)?.[0] as PlanField | undefined;
    if (SOONER.some(is)) this.shift(-1);
    else if (LATER.some(is)) this.shift(1);
    else if (move) list.move(move[1]);
    else if (is("escape") || data === "q") place.close("");
    else if (data === "a") this.open("add", "");
    else if (data === "s" || data === "p") this.decide(data, asked);
    else if (data === "u") this.takeBack();
    else if (id === null) this.said = /^\P{Cc}$/u.test(data) ? "there is no task to change" : "";
    else if (field || is("enter")) this.openField(id, field ?? "subject");
    else if (data === "d") this.run(() => place.describe(id));
    else if (data === "x") this.twice(`x${id}`, asked, `x again removes #${id}`, () => place.remove(id));
  }

  private twice(key: string, asked: string, text: string, act: () => Promise<PlanDone>): void {
    if (asked === key) this.run(act);
    else [this.asked, this.said] = [key, text];
  }

  /** `s` begins the board, `p` has it planned again. */
  private decide(key: "s" | "p", asked: string): void {
    const question = this.data?.question ?? null;
    if (question === null) this.said = "the board is not held: its tasks begin as they become ready";
    else if (key === "p") this.open("again", "");
    else
      this.twice(`s${question}`, asked, "s again lets the team begin with this board", async () => {
        const done = await this.place.answer(question, "Begin");
        this.place.close(done.text);
        return done;
      });
  }

  private shift(by: 1 | -1): void {
    const { id } = this;
    if (id !== null) this.run(() => this.place.move(id, by));
  }

  private takeBack(): void {
    const undo = this.undos.pop();
    if (!undo) this.said = "there is no edit of this list to undo";
    else this.run(async () => ({ text: `taken back: ${(await undo()).text}` }));
  }

  /** `typed`: is opened again where the act is refused, so that nothing is typed twice. */
  private run(
    act: () => Promise<PlanDone>,
    typed?: { readonly what: Typing["what"]; readonly text: string },
  ): void {
    this.working = this.working.then(async () => {
      let shown: TaskId | undefined;
      try {
        const { text, undo, shows } = await act();
        shown = shows;
        this.said = text;
        if (undo) this.undos = [...this.undos, undo].slice(-UNDOS_MAX);
      } catch (error) {
        this.said = messageOf(error);
        if (typed && !this.typing) this.open(typed.what, typed.text);
      }
      await this.read().catch(() => {});
      if (shown !== undefined) this.list.select(String(shown));
      this.place.changed();
    });
  }

  private open(what: Typing["what"], text: string): void {
    const before = typeof what === "string" ? text : (this.now(what.id, what.field) ?? text);
    this.typing = { what, before };
    this.input = new Input({ prompt: "" });
    this.input.setValue(text);
    this.input.handleInput(TO_END);
  }

  private openField(id: TaskId, field: PlanField): void {
    const text = this.now(id, field);
    if (text !== null) this.open({ id, field }, text);
  }

  /** What the field reads now; null where the task is not among those that wait. */
  private now(id: TaskId, field: PlanField): string | null {
    const task = this.data?.tasks.find((one) => one.id === id);
    return task ? EDITED[field].read(task) : null;
  }

  private type(data: string, typing: Typing): void {
    if (matchesKey(data, "escape")) this.typing = null;
    else if (matchesKey(data, "enter")) this.enter(typing, this.input.getValue());
    else this.input.handleInput(data);
  }

  /** Nobody overwrites words that he has not seen: the board may have changed since the field was opened. */
  private enter(typing: Typing, text: string): void {
    const { what } = typing;
    const { place } = this;
    const typed = { what, text };
    this.said = "";
    if (what === "add") {
      if (text.trim() !== "") this.run(() => place.add(text.trim()), typed);
    } else if (what === "again") {
      const question = this.data?.question ?? null;
      if (text.trim() === "" || question === null) this.said = "the lead was told nothing";
      else this.run(() => place.answer(question, text.trim()), typed);
    } else {
      const now = this.now(what.id, what.field);
      if (now === null) this.said = `#${what.id} has begun or has ended meanwhile, so it was not changed`;
      else if (now !== typing.before) {
        typing.before = now;
        this.said = `somebody has changed it meanwhile to: ${now === "" ? "nothing" : now}. Enter again overwrites that`;
        return;
      } else if (now !== text) this.run(() => place.edit(what.id, what.field, text), typed);
    }
    this.typing = null;
  }
}

/** The key End. */
const TO_END = "\x1b[F";
const names = (remark: string, id: TaskId): boolean =>
  [...remark.matchAll(/#(\d+)/g)].some(([, number]) => Number(number) === id);
