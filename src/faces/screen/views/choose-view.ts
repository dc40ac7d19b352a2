/** A list on the whole screen, of which one is chosen: it is filtered by what is typed. */
import { matchesKey } from "@earendil-works/pi-tui";
import { List } from "../draw/list.ts";
import { oneLine, type Style, shortened, spread } from "../draw/style.ts";
import type { FullView } from "../tools.ts";

export type Choice = { readonly value: string; readonly about: string };

type Place = {
  readonly style: Style;
  readonly title: string;
  readonly current: string;
  chosen(value: string | null): void;
  changed(): void;
};

const PAGE = 10;

export class ChooseView implements FullView {
  private readonly list = new List();
  private readonly place: Place;

  constructor(choices: readonly Choice[], place: Place) {
    this.place = place;
    const { paint } = place.style;
    this.list.set(
      choices.map(({ value, about }) => ({
        id: value,
        text: `${value} ${about}`,
        actions: [],
        lines: (width) => [
          spread(
            `${value === place.current ? paint("good", "✓") : " "} ${oneLine(value)}`,
            paint("dim", oneLine(about)),
            width,
          ),
        ],
      })),
    );
    this.list.move(
      Math.max(
        0,
        choices.findIndex(({ value }) => value === place.current),
      ),
    );
  }

  lines(width: number, height: number): readonly string[] {
    const { paint } = this.place.style;
    const { list } = this;
    const room = Math.max(1, height - 3);
    const rows = list.window(room, (row, isSelected) =>
      row
        .lines(width - 3)
        .map((line) => (isSelected ? `${paint("busy", "› ")}${paint("strong", line)}` : `  ${line}`)),
    );
    const shown = rows.length === 0 ? [paint("dim", "  nothing fits the filter")] : rows;
    return [
      spread(paint("strong", ` ${this.place.title}`), paint("dim", `${list.position} `), width),
      ` filter: ${list.filter}▏`,
      ...shown,
      ...Array.from({ length: room - shown.length }, () => ""),
      paint("dim", shortened(" ↑↓ select · type to filter · enter chooses · esc leaves it", width)),
    ];
  }

  key(data: string): void {
    const { list, place } = this;
    const moves = { up: -1, down: 1, pageUp: -PAGE, pageDown: PAGE } as const;
    const move = Object.entries(moves).find(([key]) => matchesKey(data, key as "up"));
    if (move) list.move(move[1]);
    else if (matchesKey(data, "escape")) place.chosen(null);
    else if (matchesKey(data, "enter")) {
      if (list.selected) place.chosen(list.selected.id);
    } else if (matchesKey(data, "backspace")) list.find([...list.filter].slice(0, -1).join(""));
    else if (/^\P{Cc}+$/u.test(data)) list.find(list.filter + data);
    place.changed();
  }
}
