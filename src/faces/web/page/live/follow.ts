/** Keeps a growing box scrolled to its end until one scrolls up, and again from the end on. */
export type Scrolled = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

const NEAR = 40;

export class Follow {
  isOn = true;
  private top = 0;

  /** After each scroll event. Content that grows, or is measured late, moves the end away and not the top: nobody has scrolled. */
  scrolled({ scrollTop, scrollHeight, clientHeight }: Scrolled): void {
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
    if (isNear) this.isOn = true;
    else if (scrollTop < this.top) this.isOn = false;
    this.top = scrollTop;
  }

  /** Shows the end, if it is followed. */
  toEnd(box: Scrolled): void {
    if (!this.isOn) return;
    box.scrollTop = box.scrollHeight;
    this.top = box.scrollTop;
  }
}
