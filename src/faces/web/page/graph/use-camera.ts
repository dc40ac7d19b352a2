/** The camera over the board: pan, wheel, pinch, fit. Painted at most once a frame, without a render in between. */
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Camera, READABLE } from "./draw.ts";
import { CARD, GAP, type Layout } from "./layout.ts";

const [MIN, MAX] = [0.01, 1.6];
const MARGIN = 24;
/** The buttons at the lower edge, with the room around them. */
const TOOLS = 64;
/** A drag of fewer pixels is a click. */
const STILL = 4;
/** So long after the last movement everything is drawn. */
const REST_MS = 120;

export type CameraControl = {
  at(): Camera;
  repaint(): void;
  zoom(by: number): void;
  /** Into what is at this point of the screen. */
  zoomTo(x: number, y: number): void;
  fitAll(): void;
  /** Moves as little as needed for the task to be in sight. */
  show(id: number): void;
  taskAt(x: number, y: number): number | null;
};

export function useCamera(
  box: RefObject<HTMLElement | null>,
  laid: Layout | null,
  paint: (camera: Camera, isMoving: boolean) => void,
): CameraControl {
  const camera = useRef<Camera>({ x: MARGIN, y: MARGIN, k: 1 });
  const latest = useRef({ laid, paint });
  latest.current = { laid, paint };
  const isFitted = useRef(true);
  const frame = useRef(0);
  const movedAt = useRef(0);
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const control = useMemo<CameraControl>(() => {
    const set = (next: Camera): void => {
      camera.current = next;
      movedAt.current = performance.now();
      clearTimeout(rest.current);
      rest.current = setTimeout(() => control.repaint(), REST_MS + 10);
      control.repaint();
    };
    const size = (): { width: number; height: number } => ({
      width: box.current?.clientWidth ?? 0,
      height: box.current?.clientHeight ?? 0,
    });
    const zoomAt = (x: number, y: number, by: number): void => {
      isFitted.current = false;
      const { x: left, y: top, k } = camera.current;
      const next = Math.min(MAX, Math.max(MIN, k * by));
      set({ x: x - ((x - left) * next) / k, y: y - ((y - top) * next) / k, k: next });
    };
    const control: CameraControl & { zoomAt: typeof zoomAt; move(dx: number, dy: number): void } = {
      at: () => camera.current,
      repaint: () => {
        if (frame.current !== 0) return;
        frame.current = requestAnimationFrame(() => {
          frame.current = 0;
          if (isFitted.current) camera.current = fitted(latest.current.laid, size());
          const isMoving = performance.now() - movedAt.current < REST_MS;
          latest.current.paint(camera.current, isMoving);
        });
      },
      zoom: (by) => zoomAt(size().width / 2, size().height / 2, by),
      zoomTo: (x, y) => zoomAt(x, y, Math.max(2, 0.3 / camera.current.k)),
      zoomAt,
      move: (dx, dy) => {
        isFitted.current = false;
        const { x, y, k } = camera.current;
        set({ x: x + dx, y: y + dy, k });
      },
      fitAll: () => {
        isFitted.current = true;
        control.repaint();
      },
      show: (id) => {
        const place = latest.current.laid?.places.get(id);
        if (!place) return;
        const { x, y, k } = camera.current;
        const { width, height } = size();
        const [left, top] = [place[0] * k + x, place[1] * k + y];
        const dx = Math.max(MARGIN - left, Math.min(0, width - MARGIN - left - CARD.width * k));
        const dy = Math.max(MARGIN - top, Math.min(0, height - TOOLS - top - CARD.height * k));
        if (dx !== 0 || dy !== 0) control.move(dx, dy);
      },
      taskAt: (x, y) => {
        const { x: left, y: top, k } = camera.current;
        const [wx, wy] = [(x - left) / k, (y - top) / k];
        for (const [id, [px, py]] of latest.current.laid?.places ?? [])
          if (wx >= px && wx <= px + CARD.width && wy >= py && wy <= py + CARD.height) return id;
        return null;
      },
    };
    return control;
  }, []) as CameraControl & {
    zoomAt(x: number, y: number, by: number): void;
    move(dx: number, dy: number): void;
  };

  useEffect(() => {
    const at = box.current;
    if (!at) return;
    const pointers = new Map<number, { x: number; y: number }>();
    let moved = 0;
    const point = (event: PointerEvent): { x: number; y: number } => {
      const { left, top } = at.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || (event.target as HTMLElement).closest(".graph-tools")) return;
      pointers.set(event.pointerId, point(event));
      moved = 0;
    };
    const move = (event: PointerEvent): void => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = point(event);
      moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const ratio =
          Math.hypot(now.x - other.x, now.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
        control.zoomAt((now.x + other.x) / 2, (now.y + other.y) / 2, ratio);
      } else if (moved > STILL) {
        if (!at.hasPointerCapture(event.pointerId)) at.setPointerCapture(event.pointerId);
        control.move(now.x - before.x, now.y - before.y);
      }
      pointers.set(event.pointerId, now);
    };
    const up = (event: PointerEvent): void => void pointers.delete(event.pointerId);
    const click = (event: MouseEvent): void => {
      if (moved > STILL) event.stopPropagation();
      moved = 0;
    };
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { left, top } = at.getBoundingClientRect();
      const step = event.deltaMode === 1 ? 20 : 1;
      if (event.shiftKey) control.move(-event.deltaY * step - event.deltaX * step, 0);
      else
        control.zoomAt(
          event.clientX - left,
          event.clientY - top,
          Math.exp((-event.deltaY * step) / (event.ctrlKey ? 120 : 480)),
        );
    };
    const over = new AbortController();
    const { signal } = over;
    at.addEventListener("pointerdown", down, { signal });
    at.addEventListener("pointermove", move, { signal });
    at.addEventListener("pointerup", up, { signal });
    at.addEventListener("pointercancel", up, { signal });
    at.addEventListener("click", click, { signal, capture: true });
    at.addEventListener("wheel", wheel, { signal, passive: false });
    return () => over.abort();
  }, []);
  return control;
}

/** All of it, but never so large that a few tasks look like posters, nor so small that a usual board cannot be read. */
export function fitted(laid: Layout | null, { width, height }: { width: number; height: number }): Camera {
  if (!laid || laid.places.size === 0 || width === 0) return { x: MARGIN, y: MARGIN, k: 1 };
  const room = height - MARGIN - TOOLS;
  const whole = Math.min((width - 2 * MARGIN) / laid.width, room / laid.height);
  const least = laid.places.size > 60 ? MIN : width < 600 ? Math.max(READABLE, twoAbreast(width)) : READABLE;
  const k = Math.min(1, Math.max(least, whole));
  return {
    x: Math.max(MARGIN, (width - laid.width * k) / 2),
    y: MARGIN + Math.max(0, (room - laid.height * k) / 2),
    k,
  };
}

/** On a phone: two cards with their gap are as wide as the screen, so that none ends at its edge. */
const twoAbreast = (width: number): number => Math.min(0.75, (width - 2 * MARGIN) / (2 * CARD.width + GAP.x));
