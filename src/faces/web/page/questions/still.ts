/** Buttons that have just moved or appeared do nothing: the click was meant for the buttons that were there before. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export const MOVED_MS = 700;

/** On its sheet: a person scrolls by hand, which moves nothing under it. */
function placeOf(box: HTMLElement): string {
  let [x, y] = [0, 0];
  for (let at: Element | null = box; at instanceof HTMLElement; at = at.offsetParent) {
    x += at.offsetLeft;
    y += at.offsetTop;
  }
  return `${x} ${y}`;
}

/** `guard`: for clicks on the box, on their way to its buttons. */
export function useStill(box: RefObject<HTMLElement | null>): {
  readonly isStill: boolean;
  readonly guard: (event: MouseEvent) => void;
} {
  const [isStill, setStill] = useState(false);
  const last = useRef({ place: "", at: 0, timer: 0 });
  const look = (): void => {
    const place = box.current === null ? "" : placeOf(box.current);
    if (place === last.current.place) return;
    clearTimeout(last.current.timer);
    const timer = window.setTimeout(() => setStill(true), MOVED_MS);
    last.current = { place, at: Date.now(), timer };
    setStill(false);
  };
  useLayoutEffect(look);
  useEffect(() => () => clearTimeout(last.current.timer), []);
  const guard = (event: MouseEvent): void => {
    look();
    // Keys press the button that has the focus, which moved along with it.
    if (event.detail === 0 || Date.now() - last.current.at >= MOVED_MS) return;
    if (!(event.target as Element).closest("button")) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { isStill, guard };
}
