/** The editor of the screen: with menus, the history and a search in it (Ctrl-R), and files that are dropped onto it. */
import { Editor, matchesKey, type SelectList, type TUI } from "@earendil-works/pi-tui";
import type { Drawn } from "../draw/canvas.ts";
import type { Style } from "../draw/style.ts";
import type { Completion } from "./completion.ts";
import { withDropped } from "./dropped.ts";
import { keepInHistory, readHistory } from "./history.ts";

/** `found`: the place of the line that is shown, in the history. */
type Search = { readonly query: string; readonly typed: string; readonly found: number | null };

export class Prompt extends Editor {
  private readonly cwd: string;
  private readonly completion: Completion;
  /** Oldest first. */
  private readonly sent: string[];
  private search: Search | null = null;
  /** The key before this one took the line away: Up brings it back. */
  wasCleared = false;

  constructor(drawn: Drawn, style: Style, cwd: string, completion: Completion) {
    super(drawn as TUI, style.editor, { autocompleteMaxVisible: 8 });
    this.cwd = cwd;
    this.completion = completion;
    this.focused = true;
    this.setAutocompleteProvider(completion);
    this.sent = readHistory(cwd);
    for (const line of this.sent) this.addToHistory(line);
  }

  get isEmpty(): boolean {
    return this.getText() === "";
  }

  /** Into the history. */
  keep(line: string): void {
    this.addToHistory(line);
    this.sent.push(line);
    keepInHistory(this.cwd, line);
  }

  /** Moves the typed text into the history. Returns whether there was any. */
  clear(): boolean {
    const text = this.getExpandedText().trim();
    if (text !== "") this.keep(text);
    this.setText("");
    this.wasCleared = text !== "";
    return this.wasCleared;
  }

  /** For the last line of the screen, while a search continues. */
  get hint(): string {
    if (!this.search) return "";
    const { query, found } = this.search;
    const what = found === null && query !== "" ? "history, nothing has: " : "history: ";
    return `${what}${query}▏ ctrl+r older · enter takes it · esc returns`;
  }

  override handleInput(data: string): void {
    this.wasCleared = false;
    const { line, col } = this.getCursor();
    const before = this.getLines()[line]?.slice(0, col) ?? "";
    // Menus come a moment after the keys: an earlier one would be put into what has been typed since.
    const takes = matchesKey(data, "enter") || matchesKey(data, "tab");
    const isOld = takes && !before.endsWith(this.completion.prefix);
    // Nothing is left to complete: Enter sends the line.
    const isWhole = matchesKey(data, "enter") && this.selected === this.completion.prefix;
    if (this.isShowingAutocomplete() && (isOld || isWhole)) super.handleInput("\x1b");
    super.handleInput(withDropped(data, before));
  }

  /** In the menu. */
  private get selected(): string | undefined {
    const { autocompleteList } = this as unknown as { autocompleteList?: SelectList };
    return autocompleteList?.getSelectedItem()?.value;
  }

  /** Whether the key belonged to a search. Another key ends it with the line that was found. */
  takesForSearch(data: string): boolean {
    const { search } = this;
    if (matchesKey(data, "ctrl+r")) {
      if (search) this.find(search, (search.found ?? this.sent.length) - 1, this.getText());
      else this.find({ query: "", typed: this.getExpandedText(), found: null }, -1);
      return true;
    }
    if (!search) return false;
    if (matchesKey(data, "backspace")) this.seek(search, [...search.query].slice(0, -1).join(""));
    else if (/^\P{Cc}+$/u.test(data)) this.seek(search, search.query + data);
    else {
      const isLeft = ["escape", "ctrl+c", "ctrl+g"].some((key) => matchesKey(data, key as "escape"));
      if (isLeft) this.setText(search.typed);
      this.search = null;
      return isLeft || matchesKey(data, "enter");
    }
    return true;
  }

  private seek(search: Search, query: string): void {
    this.find({ ...search, query, found: null }, this.sent.length - 1);
  }

  /** The next line that contains the query and is not `shown`, from place `from` to older ones. */
  private find(search: Search, from: number, shown?: string): void {
    const wanted = search.query.toLowerCase();
    for (let place = wanted === "" ? -1 : from; place >= 0; place -= 1) {
      const line = this.sent[place] ?? "";
      if (!line.toLowerCase().includes(wanted) || line === shown) continue;
      this.setText(line);
      this.search = { ...search, found: place };
      return;
    }
    this.search = search;
  }
}
