/** The open panel: reads it, not more often than needed, and shows it in the room that it gets. */
import type { Store } from "../../ports/index.ts";
import { type Drawn, PANEL_NAMES, PANELS, type PanelName } from "./panels/panel.ts";
import { type Style, spread } from "./style.ts";
import type { TeamModel } from "./team.ts";

const AGAIN_MS = 500;

export class PanelView {
  name: PanelName | null = null;
  private drawn: Drawn | null = null;
  private readAt = 0;
  private reading = false;
  private readonly style: Style;
  private readonly onRead: () => void;

  constructor(style: Style, onRead: () => void) {
    this.style = style;
    this.onRead = onRead;
  }

  open(name: PanelName | null): void {
    this.name = name;
    this.drawn = null;
    this.readAt = 0;
  }

  /** The next one of the round; null behind the last. */
  following(): PanelName | null {
    return PANEL_NAMES[this.name === null ? 0 : PANEL_NAMES.indexOf(this.name) + 1] ?? null;
  }

  refresh(team: TeamModel, store: Store): void {
    const { name } = this;
    const now = Date.now();
    if (name === null || this.reading || now - this.readAt < AGAIN_MS) return;
    this.reading = true;
    this.readAt = now;
    PANELS[name]
      .read({ team, store, style: this.style, now })
      .then((drawn) => {
        if (this.name === name) this.drawn = drawn;
        this.onRead();
      })
      // The store is away or being closed: the panel keeps what it shows.
      .catch(() => {})
      .finally(() => {
        this.reading = false;
      });
  }

  lines(width: number, height: number): string[] {
    if (this.name === null || height < 2) return [];
    const { paint } = this.style;
    const all = this.drawn?.(width) ?? [];
    const shown = all.slice(0, height - 1);
    const more = all.length > shown.length ? `${all.length - shown.length} more · ` : "";
    const head = spread(
      paint("strong", `─ ${PANELS[this.name].title} `),
      paint("dim", `${more}esc closes · ctrl+t next ─`),
      width,
    );
    return [head, ...shown];
  }
}
