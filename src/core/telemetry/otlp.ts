/**
 * Spans and metrics in the JSON form of OTLP: 64-bit numbers are texts, times are nanoseconds, ids are hexadecimal. Written by hand:
 * the form is stable, and the packages that write it take 50 times the space (docs/decisions/0023).
 */
import type { Metric } from "./meters.ts";
import type { Attributes, Span } from "./spans.ts";

const SCOPE = "ekiden";

export const tracesBody = (resource: Attributes, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: pairs(resource) },
        scopeSpans: [{ scope: { name: SCOPE }, spans: spans.map(spanOf) }],
      },
    ],
  });

/** `start`: of this process; all sums are since then. */
export const metricsBody = (
  resource: Attributes,
  metrics: readonly Metric[],
  start: number,
  now: number,
): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: pairs(resource) },
        scopeMetrics: [
          { scope: { name: SCOPE }, metrics: metrics.map((metric) => metricOf(metric, start, now)) },
        ],
      },
    ],
  });

const pairs = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: typed(value) }));

function typed(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

const KINDS = { internal: 1, client: 3 } as const;
const ERROR = 2;

const spanOf = ({ traceId, spanId, parentId, name, kind, start, end, attributes, error }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== null && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanos(start),
  endTimeUnixNano: nanos(end),
  attributes: pairs(error === null ? attributes : { ...attributes, "error.type": error }),
  status: error === null ? {} : { code: ERROR, message: error },
});

const CUMULATIVE = 2;

function metricOf({ name, unit, about, points }: Metric, start: number, now: number) {
  const times = { startTimeUnixNano: nanos(start), timeUnixNano: nanos(now) };
  const dataPoints = points.map(({ attributes, value }) => ({
    ...times,
    attributes: pairs(attributes),
    asDouble: value,
  }));
  const sum = { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints };
  return { name, unit, description: about, sum };
}
