/** Keeps the place of what a person looks at when something comes before it. */
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * `first` names the first element of the box. The browser keeps places by itself, but not at the very top of the
 * box, and not where elements come in the same frame as a scroll.
 */
export function useKeptPlace(box: { readonly current: HTMLElement | null }, first: unknown): void {
  const before = useRef(first);
  const seen = before.current === first ? null : firstSeen(box.current);
  before.current = first;
  useLayoutEffect(() => {
    if (box.current && seen?.element.isConnected) box.current.scrollTop += topOf(seen.element) - seen.top;
  }, [first]);
}

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/** The first element whose end is in sight, and its place. */
function firstSeen(box: HTMLElement | null): { readonly element: Element; readonly top: number } | null {
  if (!box) return null;
  const top = topOf(box);
  const element = [...box.querySelectorAll(":scope > .entry")].find(
    (one) => one.getBoundingClientRect().bottom > top,
  );
  return element ? { element, top: topOf(element) } : null;
}
