/** Says in words how long the board will take, while somebody works on it. Worked out again when a task changes, and twice a minute. */

import { aboutSpan, leftWords, type TimeLeft, timeLeft } from "../../../../core/board/time-left.ts";
import type { Picture } from "../../../../core/picture/picture.ts";
import { app } from "../app.ts";

const STEP_MS = 30_000;

type Kept = { readonly board: number; readonly step: number; readonly left: TimeLeft | null };
const kept = new WeakMap<Picture, Kept>();

function leftOf(model: Picture): TimeLeft | null {
  const workers = [...model.members.values()].filter(
    ({ phase, hosted }) => phase === "work" && hosted,
  ).length;
  if (workers === 0) return null;
  const step = Math.floor(app.now / STEP_MS);
  const known = kept.get(model);
  if (known?.board === model.board && known.step === step) return known.left;
  const left = timeLeft(model.tasks, workers, app.now);
  kept.set(model, { board: model.board, step, left });
  return left;
}

/** " · about 12 min left" */
export function leftInWords(model: Picture): string {
  const left = leftOf(model);
  return left === null ? "" : ` · ${leftWords(left.all)}`;
}

/** ": 8 min" */
export function chainWords(model: Picture): string {
  const left = leftOf(model);
  return left === null ? "" : `: ${aboutSpan(left.chain)}`;
}
