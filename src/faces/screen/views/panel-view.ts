/** The open panel: reads it, not more often than needed, shows it in the room that it gets, and does what keys say to its rows. */
import { type KeyId, matchesKey, visibleWidth } from "@earendil-works/pi-tui";
import { messageOf } from "../../../core/errors.ts";
import type { RequestId } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import { type Action, isLook, List } from "../draw/list.ts";
import { phrases, type Style, shortened, spread } from "../draw/style.ts";
import { inRow, keyHint } from "../keys.ts";
import { PANEL_NAMES, type PanelName } from "../panels/names.ts";
import type { Listed, PanelInput } from "../panels/panel.ts";
import { PANELS } from "../panels/table.ts";
import type { TeamModel } from "../story/team.ts";

const AGAIN_MS = 500;
const PAGE = 10;
const HINT_LINES = 2;
const MOVES: readonly (readonly [key: KeyId, by: number])[] = [
  ["up", -1],
  ["k", -1],
  ["down", 1],
  ["j", 1],
  ["pageUp", -PAGE],
  ["pageDown", PAGE],
  ["home", Number.NEGATIVE_INFINITY],
  ["end", Number.POSITIVE_INFINITY],
];

/** The part of the screen that the panel uses. */
export type PanelScreen = {
  changed(): void;
  /** The person only looks. */
  readonly watches: boolean;
  /** Runs a line as if it had been typed. */
  submit(line: string): void;
  /** Into the editor, to be finished. */
  giveBack(text: string): void;
  say(text: string): void;
  /** Shows all of what a question of the person is about. Whether it waits. */
  judge(id: RequestId): boolean;
  note(text: string): void;
};

export class PanelView {
  name: PanelName | null = null;
  /** Keys go to the panel, not to the editor. */
  hasKeys = false;
  isFiltering = false;
  private listed: Listed | null = null;
  private list = new List();
  /** Waits for its second time. */
  private asked = "";
  private readAt = 0;
  private reading = false;
  private readonly style: Style;
  private readonly screen: PanelScreen;
  private readonly place: PanelInput["place"];

  constructor(style: Style, screen: PanelScreen, place: PanelInput["place"]) {
    this.style = style;
    this.screen = screen;
    this.place = place;
  }

  open(name: PanelName | null): void {
    if (name !== this.name) this.list = new List();
    this.name = name;
    this.listed = null;
    this.readAt = 0;
    this.asked = "";
    this.isFiltering = false;
    this.hasKeys = name !== null && (this.hasKeys || this.screen.watches);
  }

  /** The next one of the round; null behind the last. */
  following(): PanelName | null {
    return PANEL_NAMES[this.name === null ? 0 : PANEL_NAMES.indexOf(this.name) + 1] ?? null;
  }

  refresh(team: TeamModel, store: Store, now = Date.now()): void {
    const { name } = this;
    if (name === null || this.reading || now - this.readAt < AGAIN_MS) return;
    this.reading = true;
    this.readAt = now;
    PANELS[name]
      .read({ team, store, style: this.style, now, place: this.place })
      .then((listed) => {
        if (this.name === name) {
          this.listed = listed;
          this.list.set(listed.rows);
        }
        this.screen.changed();
      })
      // The store is away or being closed: the panel keeps what it shows.
      .catch(() => {})
      .finally(() => {
        this.reading = false;
      });
  }

  /** Whether the key was for the panel. `isFree`: the editor is empty, so that an arrow may lead to the panel. */
  takes(data: string, isFree: boolean): boolean {
    if (this.name === null) return false;
    if (!this.hasKeys) {
      this.hasKeys = isFree && matchesKey(data, "down");
      return this.hasKeys;
    }
    if (this.isFiltering && this.takesForFilter(data)) return true;
    const move = MOVES.find(([key]) => matchesKey(data, key));
    if (move) this.list.move(move[1]);
    else if (matchesKey(data, "tab")) this.hasKeys = false;
    else if (data === "/") this.isFiltering = true;
    else if (matchesKey(data, "escape")) return this.unfilter();
    else return this.takesForAction(data);
    this.asked = "";
    return true;
  }

  lines(width: number, height: number): string[] {
    if (this.name === null || height < 2) {
      // A hidden panel takes no keys from an editor.
      if (!this.screen.watches) this.hasKeys = false;
      return [];
    }
    const { paint } = this.style;
    const { hasKeys, listed, list } = this;
    const { filter } = list;
    const filtered = this.isFiltering || filter !== "";
    const place = hasKeys ? list.position : `${list.shown.length} in all`;
    const position = filtered ? `filter: ${filter}${this.isFiltering ? "▏" : ""} · ${place}` : place;
    const keys = this.screen.watches
      ? ["↑↓ selects"]
      : hasKeys
        ? ["tab to the line", "esc closes"]
        : ["↓ selects", "esc closes", keyHint("panels", "next")];
    const name = `─ ${PANELS[this.name].title} `;
    // The name and a filter are always seen, the keys as far as there is room.
    const rights = keys.map((_, i) => [position, ...keys.slice(0, keys.length - i)]).concat([[position]]);
    const right = rights
      .map((parts) => `${inRow(...parts)} ─`)
      .find((one) => visibleWidth(name + one) < width);
    const title = spread(paint("strong", name), paint("dim", right ?? "─"), width);
    const hints = hasKeys ? this.hints(width) : [];
    const head = listed?.head ? [listed.head(width)] : [];
    const room = height - 1 - head.length - hints.length;
    const empty = listed?.rows.length === 0 ? listed.empty : filter === "" ? "" : "Nothing fits the filter.";
    const rows = list.window(Math.max(0, room), (row, isSelected) =>
      row
        .lines(width - 2)
        .map((line, i) => `${hasKeys && isSelected && i === 0 ? paint("busy", "› ") : "  "}${line}`),
    );
    const shown = rows.length === 0 && empty !== "" ? [paint("dim", shortened(empty, width))] : rows;
    return [title, ...head, ...shown, ...hints].slice(0, height);
  }

  private get actions(): readonly Action[] {
    const own = this.name === null ? [] : (PANELS[this.name].actions ?? []);
    return [...(this.list.selected?.actions ?? []), ...own].filter(
      (action) => !this.screen.watches || isLook(action),
    );
  }

  private hints(width: number): string[] {
    const words = this.actions.map(({ key, word }) => `${key} ${word}`);
    return phrases([...words, "/ filter"], width)
      .slice(0, HINT_LINES)
      .map((line) => this.style.paint("dim", line));
  }

  private takesForFilter(data: string): boolean {
    const { list } = this;
    if (matchesKey(data, "backspace")) list.find([...list.filter].slice(0, -1).join(""));
    else if (matchesKey(data, "enter")) this.isFiltering = false;
    else if (/^\P{Cc}+$/u.test(data)) list.find(list.filter + data);
    else return false;
    return true;
  }

  /** Esc: the filter first. Whether there was one. */
  private unfilter(): boolean {
    const had = this.isFiltering || this.list.filter !== "";
    this.isFiltering = false;
    this.list.find("");
    return had;
  }

  /** Other letters do nothing here: they would become a message that one did not mean to write. */
  private takesForAction(data: string): boolean {
    const action = this.actions.find(({ key }) =>
      key === "enter" ? matchesKey(data, "enter") : key === data,
    );
    if (!action) {
      const isTyped = /^\P{Cc}+$/u.test(data) || matchesKey(data, "enter");
      if (isTyped)
        this.screen.note(`tab returns to the line; here: ${this.actions.map(({ key }) => key).join(" ")} /`);
      return isTyped;
    }
    const row = this.list.selected?.id ?? "";
    const once = `${action.key} ${row}`;
    if (action.asks && this.asked !== once) {
      this.asked = once;
      this.screen.note(`${action.key} again: ${action.line?.slice(1) ?? action.word}`);
      return true;
    }
    this.asked = "";
    this.screen.note("");
    void this.run(action);
    return true;
  }

  private async run({ line, show, judges }: Action): Promise<void> {
    try {
      if (judges !== undefined && this.screen.judge(judges)) return;
      if (show) this.screen.say(await show());
      else if (line?.endsWith(" ")) {
        this.hasKeys = false;
        this.screen.giveBack(line);
      } else if (line) this.screen.submit(line);
      this.readAt = 0;
    } catch (error) {
      this.screen.note(messageOf(error));
    }
  }
}
