/** Search in the story that is shown: the newest line first, then older ones; the window shows the line that was found. */
import { matchesKey } from "@earendil-works/pi-tui";
import type { Feed, Found } from "../story/feed.ts";

export class Find {
  private query: string | null = null;
  private found: Found | null = null;
  private readonly feed: () => Feed;

  constructor(feed: () => Feed) {
    this.feed = feed;
  }

  open(query = ""): void {
    this.close();
    this.query = query;
    if (query !== "") this.seek(-1);
  }

  private close(): void {
    this.query = null;
    this.found = null;
    this.feed().marked = null;
  }

  /** For the last line of the screen. */
  get hint(): string {
    if (this.query === null) return "";
    const what = this.found === null && this.query !== "" ? "nothing has: " : "find: ";
    return `${what}${this.query}▏ enter older · down newer · esc ends`;
  }

  /** Whether the key was for the search. */
  takes(data: string): boolean {
    const { query } = this;
    if (query === null) return false;
    const is = (...keys: ("escape" | "ctrl+c" | "enter" | "up" | "down" | "ctrl+f" | "backspace")[]) =>
      keys.some((key) => matchesKey(data, key));
    if (is("escape", "ctrl+c")) this.close();
    else if (is("enter", "up", "ctrl+f")) this.seek(-1);
    else if (is("down")) this.seek(1);
    else if (is("backspace")) this.change([...query].slice(0, -1).join(""));
    else if (/^\P{Cc}+$/u.test(data)) this.change(query + data);
    else return false;
    return true;
  }

  private change(query: string): void {
    this.query = query;
    this.found = null;
    this.feed().marked = null;
    if (query !== "") this.seek(-1);
  }

  private seek(direction: 1 | -1): void {
    if (!this.query) return;
    const next = this.feed().find(this.query, this.found, direction);
    if (next === null) return;
    this.found = next;
    this.feed().show(next);
  }
}
