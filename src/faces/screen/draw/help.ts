/** The keys in five groups, above the editor until the next key. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { actionOf, boundKeys } from "../keys.ts";
import { PANEL_NAMES } from "../panels/names.ts";
import { type Style, shortened } from "./style.ts";

type Group = readonly [title: string, rows: readonly (readonly [keys: string, effect: string])[]];

const BETWEEN = 3;

const key = (action: keyof ReturnType<typeof boundKeys>): string =>
  (boundKeys()[action].keys[0] ?? "")
    .replace("ctrl+", "^")
    .replace("shift+tab", "⇧⇥")
    .replace("escape", "esc")
    .replace("left", "←")
    .replace("pageUp", "pgup");

const groups = (): readonly Group[] => [
  [
    "type",
    [
      ["enter", "send"],
      ["^j", "new line"],
      ["@", "file, member"],
      ["!", "shell"],
      ["/", "commands"],
      ["^r", "earlier lines"],
      [key("editor"), "your editor"],
    ],
  ],
  [
    "watch",
    [
      [`${key("member")} ${key("member-before")}`, "member"],
      [key("back"), "to the lead"],
      [key("expand"), "in full"],
      [key("find"), "search"],
      [key("page-up"), "scroll"],
    ],
  ],
  [
    "answer",
    [
      ["y n", "yes, no"],
      ["s a", "yes to all such"],
      ["←→", "the rule"],
      [key("next-question"), "next question"],
      [key("mode"), "edits: ask or not"],
      [key("find"), "whole change"],
    ],
  ],
  ["team", PANEL_NAMES.map((name) => [key(name), name])],
  [
    "leave",
    [
      [key("leave"), "leave at work"],
      ["/quit", "stop the team"],
      [key("close"), "interrupt"],
      [key("interrupt"), "twice: stop"],
    ],
  ],
];

export class Help {
  private isShown = false;

  open(): void {
    this.isShown = true;
  }

  /** Any key closes it and then has its own effect; Esc and `?` only close it. */
  takes(data: string): boolean {
    if (!this.isShown) return false;
    this.isShown = false;
    return ["close", "help"].includes(actionOf(data, true) ?? "");
  }

  /** Null while it is closed. */
  lines(style: Style, width: number, most: number): string[] | null {
    return this.isShown ? helpLines(style, width, most) : null;
  }
}

/** The keys as they are now; an action without a key is left out. It shows as many groups in a row as fit into `width`. */
function helpLines({ paint }: Style, width: number, most: number): string[] {
  const columns = groups().map(([title, rows]) => {
    const named = rows.filter(([keys]) => keys !== "");
    const room = Math.max(...named.map(([keys]) => visibleWidth(keys))) + 2;
    const cells = named.map(
      ([keys, effect]) => `${keys}${" ".repeat(room - visibleWidth(keys))}${paint("dim", effect)}`,
    );
    return [paint("strong", title), ...cells];
  });
  const lines: string[] = [];
  for (let at = 0; at < columns.length; ) {
    let used = 1;
    const band: { readonly cells: readonly string[]; readonly width: number }[] = [];
    for (; at < columns.length; at += 1) {
      const cells = columns[at] as readonly string[];
      const wide = Math.max(...cells.map(visibleWidth));
      if (band.length > 0 && used + BETWEEN + wide > width) break;
      band.push({ cells, width: wide + BETWEEN });
      used += wide + BETWEEN;
    }
    for (let row = 0; row < Math.max(...band.map(({ cells }) => cells.length)); row += 1)
      lines.push(
        shortened(` ${band.map((one) => padded(one.cells[row] ?? "", one.width)).join("")}`.trimEnd(), width),
      );
  }
  const last = paint(
    "dim",
    shortened(" /help lists all commands · /keys all keys, and how to change them", width),
  );
  return [...lines.slice(0, Math.max(0, most - 1)), last].slice(0, Math.max(0, most));
}

const padded = (text: string, width: number): string =>
  `${text}${" ".repeat(Math.max(0, width - visibleWidth(text)))}`;
