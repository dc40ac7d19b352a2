/** The small pieces that all views are made of. */
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { app } from "../app.ts";
import { BY_PROGRESS, SHOWN_WORDS, type Shown } from "../pure/board.ts";
import { hrefOf, type Route } from "../route.ts";

type LinkProps = {
  to: Partial<Route>;
  children: ComponentChildren;
  class?: string;
  title?: string | undefined;
  style?: Record<string, string>;
  "aria-current"?: "page" | undefined;
};

/** A link inside the page; a click with a modifier opens it as any other link. */
export function Link({ to, children, ...rest }: LinkProps) {
  const href = hrefOf({ ...app.route, ...to });
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        app.go(to);
      }}
    >
      {children}
    </a>
  );
}

/** The number and the subject of a task, leading to its details. */
export const TaskLink = ({ id, ...rest }: { id: number; class?: string }) => (
  <Link to={{ task: id }} {...rest}>
    #{id} {app.model.tasks.get(id)?.subject}
  </Link>
);

const SHAPES: Readonly<Record<Shown, JSX.Element>> = {
  waiting: <circle cx="8" cy="8" r="5.5" stroke-dasharray="2.2 2.1" />,
  ready: <circle cx="8" cy="8" r="5.5" />,
  busy: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5a3 3 0 0 1 0 6z" class="fill" />
    </>
  ),
  asks: (
    <>
      <circle cx="8" cy="8" r="5.5" class="fill" />
      <path d="M6.400 6.700a1.600 1.600 0 1 1 2.300 1.400c-.5.250-.7.500-.7 1M8 11v.1" class="mark" />
    </>
  ),
  away: (
    <>
      <circle cx="8" cy="8" r="5.5" stroke-dasharray="2.2 2.1" />
      <path d="M6.800 6v4M9.200 6v4" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="5.5" class="fill" />
      <path d="m5.6 8.2 1.7 1.7 3.2-3.6" class="mark" />
    </>
  ),
  failed: (
    <>
      <circle cx="8" cy="8" r="5.5" class="fill" />
      <path d="m6.1 6.1 3.8 3.8m0-3.8-3.8 3.8" class="mark" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.2 11.8 7.6-7.6" />
    </>
  ),
};

/** The status of a task: a shape and a colour, and its word for people who see neither. */
export function Status({ look, word = false }: { look: Shown; word?: boolean }) {
  return (
    <span class={`status ${look}`}>
      <svg
        viewBox="0 0 16 16"
        width="16"
        height="16"
        role={word ? "presentation" : "img"}
        aria-label={word ? undefined : SHOWN_WORDS[look]}
      >
        {SHAPES[look]}
      </svg>
      {word && <span>{SHOWN_WORDS[look]}</span>}
    </span>
  );
}

/** The progress of the board, as one bar in the colours of the statuses. */
export function ProgressBar({ counts }: { counts: Readonly<Record<Shown, number>> }) {
  const shown = BY_PROGRESS.filter((look) => counts[look] > 0);
  const text = shown.map((look) => `${counts[look]} ${SHOWN_WORDS[look].toLowerCase()}`).join(", ");
  return (
    <div class="progress" role="img" aria-label={text || "No tasks"} title={text}>
      {shown.map((look) => (
        <span key={look} class={look} style={{ flexGrow: counts[look] }} />
      ))}
    </div>
  );
}

/** A team of a project: the name that every team has at first says nothing. */
export const teamTitle = (folder: string, team: string): string => {
  const name = folder.split("/").at(-1) || folder;
  return team === "default" ? name : `${name} · ${team}`;
};

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  );
}

/** The rows in sight, with some above and below them. `onEnd`: the last one is among them. */
function useRange(box: RefObject<HTMLElement | null>, height: number, count: number, onEnd?: () => void) {
  const [range, setRange] = useState({ from: 0, to: 40 });
  const measure = (): void => {
    const at = box.current;
    if (!at) return;
    const from = Math.max(0, Math.floor(at.scrollTop / height) - 8);
    const to = Math.ceil((at.scrollTop + at.clientHeight) / height) + 8;
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
    if (onEnd && to >= count) onEnd();
  };
  const latest = useRef(measure);
  latest.current = measure;
  useLayoutEffect(measure, [count, height]);
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { range, measure };
}

/** Rows of one height, of which only those in sight are there. */
export function VirtualList<T>({
  items,
  keyOf,
  height,
  label,
  row,
  onEnd,
}: {
  items: readonly T[];
  /** A row keeps its element when others come before it. */
  keyOf: (item: T) => number;
  height: number;
  label: string;
  row: (item: T, index: number) => ComponentChildren;
  onEnd?: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { range, measure } = useRange(box, height, items.length, onEnd);
  // While one scrolls, `items` and `row` are the same: rows that stay in sight are not made again.
  const kept = useRef({ items, row, made: new Map<number, ComponentChildren>() });
  const isSame = kept.current.items === items && kept.current.row === row;
  const made = new Map<number, ComponentChildren>();
  for (const [i, item] of items.slice(range.from, range.to).entries()) {
    const at = range.from + i;
    made.set(
      at,
      (isSame && kept.current.made.get(at)) || (
        <div
          key={keyOf(item)}
          role="listitem"
          aria-setsize={items.length}
          aria-posinset={at + 1}
          class="virtual-row"
          style={{ height: `${height}px`, transform: `translateY(${at * height}px)` }}
        >
          {row(item, at)}
        </div>
      ),
    );
  }
  kept.current = { items, row, made };
  return (
    <div class="virtual" ref={box} onScroll={measure} role="list" aria-label={label} tabIndex={0}>
      <div class="virtual-all" style={{ height: `${items.length * height}px` }}>
        {[...made.values()]}
      </div>
    </div>
  );
}

/** The inner size of an element, in pixels; 0 before it is there. */
export function useSize(box: RefObject<HTMLElement | null>): {
  readonly width: number;
  readonly height: number;
} {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const at = box.current;
    if (!at) return;
    const measure = (): void =>
      setSize((before) => {
        const { clientWidth: width, clientHeight: height } = at;
        return before.width === width && before.height === height ? before : { width, height };
      });
    const observer = new ResizeObserver(measure);
    observer.observe(at);
    measure();
    return () => observer.disconnect();
  }, []);
  return size;
}

const two = (n: number): string => String(n).padStart(2, "0");

/** "14:03:22", with the day if it is not today's. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return new Date(app.now).toDateString() === date.toDateString()
    ? time
    : `${date.getMonth() + 1}/${date.getDate()} ${time}`;
}

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {clockTime(at)}
    </time>
  );
}
