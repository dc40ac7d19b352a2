/** Lays out the parts of the screen, from the bottom up: the rest of the terminal belongs to the feed. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { LEAD, type Name } from "../../../core/ids.ts";
import { cardOf } from "../ask/card.ts";
import type { CardQuestions } from "../ask/questions.ts";
import { inRow, keyHint } from "../keys.ts";
import type { Feed } from "../story/feed.ts";
import { stripLines } from "../story/strip.ts";
import type { TeamModel } from "../story/team.ts";
import type { PanelView } from "../views/panel-view.ts";
import { asideOf } from "./aside.ts";
import { type FooterLook, footerLines } from "./footer.ts";
import type { Help } from "./help.ts";
import { type Style, shortened, spread } from "./style.ts";

/** Lines that the feed keeps, and a card and a panel beside it have, at least; the share of the room that a card and a panel may take. */
const FEED_MIN = 3;
const CARD_MIN = 8;
const PANEL_MIN = 6;
/** The title and the task of a question. */
const NAMED = 2;
const CARD_SHARE = 0.7;
const PANEL_SHARE = 0.45;
/** While one goes through its rows. */
const CHOOSING_SHARE = 0.65;
/** Between the story and the column beside it. */
const BORDER = " │ ";

export type Parts = Omit<FooterLook, "width"> & {
  readonly team: TeamModel | null;
  readonly style: Style;
  readonly questions: CardQuestions;
  readonly panel: PanelView;
  readonly feed: Feed;
  readonly editor: readonly string[];
  readonly at: Name;
  readonly expanded: boolean;
  readonly cardScroll: number;
  readonly help: Pick<Help, "lines">;
};

/** Lines of members: on a low terminal the feed needs its own. */
const mostOf = (height: number): number => Math.max(2, Math.min(9, Math.floor(height / 6)));

/** `asks`: a question can be read and answered. `overflows`: the card does not show all of its question. `members`: whose line a row of the screen is, from 0. */
export type Drawn = {
  readonly lines: readonly string[];
  readonly asks: boolean;
  readonly overflows: boolean;
  /** A row of what is to be judged can be read. */
  readonly showsChange: boolean;
  readonly cardScroll: number;
  readonly esc: "interrupts" | "returns" | null;
  readonly members: ReadonlyMap<number, Name>;
  /** The column at which those lines begin. */
  readonly membersFrom: number;
};

/** Before the first frame. */
export const NOTHING_DRAWN: Drawn = {
  ...{ lines: [], asks: false, overflows: false, showsChange: false, cardScroll: 0, esc: null },
  ...{ members: new Map(), membersFrom: 0 },
};

export function pictureOf(parts: Parts, { width: whole, height }: { width: number; height: number }): Drawn {
  const { team, style, questions, panel, editor, at, frame, now, watch } = parts;
  const { paint } = style;
  const footer = footerLines(team, style, { ...parts, width: whole });
  let room = Math.max(0, height - editor.length - footer.length);
  const aside = asideOf(team, style, { width: whole, frame, now, at }, room);
  const width = aside ? whole - aside.width - visibleWidth(BORDER) : whole;
  // A panel that one opens while a question waits is seen.
  const most = panel.name === null ? Math.max(CARD_MIN, Math.floor(room * CARD_SHARE)) : CARD_MIN;
  const cardLook = {
    ...{ width, height: Math.min(room, most), most: room, now, isRead: watch !== undefined },
    editsKey: parts.mode === "default" ? keyHint("mode", "").replace("shift+tab", "⇧⇥") : "",
  };
  const { lines: asked, overflows, ...seen } = cardOf(questions, style, cardLook, parts.cardScroll);
  // While keys go to the panel, a question is only named: it takes none.
  const isNamed = panel.hasKeys && watch === undefined;
  const card = asked.slice(0, isNamed ? Math.min(room, NAMED) : room);
  room -= card.length;
  const forStrip = Math.min(mostOf(height), room - FEED_MIN - (panel.name === null ? 0 : PANEL_MIN));
  const strip = team && !aside ? stripLines(team, style, { width, frame, now, at }, forStrip) : [];
  room -= strip.length;
  const share = panel.hasKeys ? CHOOSING_SHARE : PANEL_SHARE;
  const opened =
    parts.help.lines(style, width, room) ??
    panel.lines(width, Math.min(Math.floor(height * share), room - FEED_MIN));
  room -= opened.length;
  const head = headOf(parts, width);
  room -= head.length;
  const story = storyOf(parts, width, room);
  const above = [...head, ...story, ...opened, ...card];
  const beside = (line: string, row: number): string =>
    `${line}${" ".repeat(Math.max(0, width - visibleWidth(line)))}${paint("dim", BORDER)}${aside?.lines[row]?.line ?? ""}`;
  const top = aside ? above.map((line, row) => beside(shortened(line, width), row)) : above;
  const lines = [...top, ...strip.map(({ line }) => line), ...editor, ...footer];
  const places = aside
    ? aside.lines.map(({ name }, row) => [row, name] as const)
    : strip.map(({ name }, i) => [above.length + i, name] as const);
  return {
    lines,
    overflows,
    asks: card.length > 0 && !isNamed,
    showsChange: seen.showsChange && !isNamed && card.length === asked.length,
    cardScroll: seen.scroll,
    esc: escIn(parts),
    membersFrom: aside ? width : 0,
    members: new Map(places.filter((place): place is [number, Name] => place[1] !== null)),
  };
}

/** What Esc does in the view of a member; null elsewhere. */
const escIn = ({ team, at }: Parts): Drawn["esc"] =>
  at === LEAD ? null : team?.picture.members.get(at)?.phase === "work" ? "interrupts" : "returns";

/** The lines above the feed: whom it is of, and what it is narrowed to. */
function headOf(parts: Parts, width: number): string[] {
  const {
    style: { paint },
    feed,
    at,
    watch,
  } = parts;
  const back = paint(
    "dim",
    inRow(escIn(parts) === "interrupts" ? "esc interrupts" : "", keyHint("back", "lead")),
  );
  const title = watch && paint("strong", shortened(` ${watch.title()}`, width));
  const name = paint("strong", ` ${at}`);
  return [
    ...(title ? [title] : []),
    ...(at === LEAD ? [] : [watch ? name : spread(name, back, width)]),
    ...(feed.only === ""
      ? []
      : [spread(paint("strong", ` ${feed.only} in the story`), paint("dim", "esc shows everything"), width)]),
  ];
}

/** The part of the feed that is seen, in `room` lines. */
function storyOf(parts: Parts, width: number, room: number): string[] {
  const { feed, style } = parts;
  const scrolled = !feed.follows && room > 1;
  const shown = feed.window({ ...parts, width }, scrolled ? room - 1 : room);
  const empty = Array.from({ length: Math.max(0, room - shown.length - (scrolled ? 1 : 0)) }, () => "");
  const below = scrolled
    ? [style.paint("dim", shortened(`  ↓ ${feed.below} more lines below (pgdn)`, width))]
    : [];
  return [...shown, ...empty, ...below];
}
