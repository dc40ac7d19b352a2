/**
 * The figures that the bench reports, each beside a floor that was measured in the same run, so that ratios travel from machine
 * to machine where milliseconds do not.
 */
export type Budget = {
  /** The value that is compared with the limit: the figure itself, or the figure over its floor. */
  readonly of: "value" | "ratio";
  readonly atMost?: number;
  readonly atLeast?: number;
};

export type Figure = {
  /** The letter of the bench item, "a" to "s". */
  readonly item: string;
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly floor: number | null;
  /** `value / floor`; of pairs measured side by side, the median of theirs. */
  readonly ratio: number | null;
  readonly budget: Budget | null;
  /** Null where there is no budget. */
  readonly met: boolean | null;
  /** Lowest and highest sample behind `value`, and how many there were. */
  readonly spread: { readonly min: number; readonly max: number; readonly samples: number } | null;
  readonly note: string;
};

type Given = Pick<Figure, "item" | "name" | "unit" | "value"> & {
  readonly floor?: number;
  readonly ratio?: number;
  readonly budget?: Budget;
  readonly samples?: readonly number[];
  readonly note?: string;
};

export function figure(given: Given): Figure {
  const { item, name, unit, value, floor, budget, samples, note = "" } = given;
  const ratio = given.ratio ?? (floor === undefined ? null : value / floor);
  const judged = budget?.of === "ratio" ? ratio : value;
  const met =
    budget === undefined || judged === null
      ? null
      : judged <= (budget.atMost ?? Number.POSITIVE_INFINITY) &&
        judged >= (budget.atLeast ?? Number.NEGATIVE_INFINITY);
  const spread = samples?.length
    ? { min: Math.min(...samples), max: Math.max(...samples), samples: samples.length }
    : null;
  return { item, name, unit, value, floor: floor ?? null, ratio, budget: budget ?? null, met, spread, note };
}

/** The sample below which the share `q` (0 to 1) of all samples lies. NaN for none. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Runs A and B in turn, so that whatever else the machine does meets both alike. */
export async function alternate<A, B>(
  times: number,
  a: () => Promise<A>,
  b: () => Promise<B>,
): Promise<{ a: A[]; b: B[] }> {
  const all: { a: A[]; b: B[] } = { a: [], b: [] };
  for (let i = 0; i < times; i += 1) {
    all.a.push(await a());
    all.b.push(await b());
  }
  return all;
}

/** Three significant digits, with thousands set apart: 0.0123, 4.56, 123, 12,345. */
export function show(n: number): string {
  if (!Number.isFinite(n)) return "–";
  const size = Math.abs(n);
  if (size >= 100) return Math.round(n).toLocaleString("en-US");
  return String(Number(n.toPrecision(3)));
}

const showBudget = ({ of, atMost, atLeast }: Budget): string =>
  `${atMost === undefined ? `≥ ${show(atLeast ?? 0)}` : `≤ ${show(atMost)}`}${of === "ratio" ? "×" : ""}`;

const COLUMNS = ["", "figure", "value", "floor", "ratio", "budget", "", "spread (samples)", "note"] as const;

/** The figures as a table for people. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((f) => [
    f.item,
    f.name,
    `${show(f.value)} ${f.unit}`,
    f.floor === null ? "" : show(f.floor),
    f.ratio === null ? "" : `${f.ratio.toFixed(2)}×`,
    f.budget ? showBudget(f.budget) : "",
    f.met === null ? "" : f.met ? "met" : "NOT MET",
    f.spread ? `${show(f.spread.min)}–${show(f.spread.max)} (${f.spread.samples})` : "",
    f.note,
  ]);
  const widths = COLUMNS.map((head, i) => Math.max(head.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i >= 2 && i <= 5 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(COLUMNS), line(widths.map((width) => "─".repeat(width))), ...rows.map(line)].join("\n");
}

/** One part of the bench. `quick`: fewer repetitions and smaller boards, for a look while working. */
export type Item = (quick: boolean) => Promise<Figure[]>;
