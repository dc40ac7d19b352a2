import { expect, it } from "vitest";
import type { Metric } from "./meters.ts";
import { metricsBody, tracesBody } from "./otlp.ts";
import type { Span } from "./spans.ts";

const span: Span = {
  ...{ traceId: "t", spanId: "s", parentId: null, name: "chat", kind: "client", start: 1.4, end: 2_000 },
  attributes: { text: "x", whole: 3, part: 0.5, flag: false },
  error: null,
};

it("writes spans with typed attributes, nanoseconds, and what is there of a parent and an error", () => {
  const body = JSON.parse(
    tracesBody({ "service.name": "ekiden" }, [
      span,
      { ...span, parentId: "p", kind: "internal", error: "late" },
    ]),
  );
  const attributes = [
    { key: "text", value: { stringValue: "x" } },
    { key: "whole", value: { intValue: "3" } },
    { key: "part", value: { doubleValue: 0.5 } },
    { key: "flag", value: { boolValue: false } },
  ];
  const common = {
    traceId: "t",
    spanId: "s",
    name: "chat",
    startTimeUnixNano: "1000000",
    endTimeUnixNano: "2000000000",
  };
  expect(body).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "ekiden" } }] },
        scopeSpans: [
          {
            scope: { name: "ekiden" },
            spans: [
              { ...common, kind: 3, attributes, status: {} },
              {
                ...common,
                parentSpanId: "p",
                kind: 1,
                attributes: [...attributes, { key: "error.type", value: { stringValue: "late" } }],
                status: { code: 2, message: "late" },
              },
            ],
          },
        ],
      },
    ],
  });
});

it("writes a gauge, a sum and a histogram, the last two since the start of the process", () => {
  const named = { unit: "1", about: "a number" };
  const points = [{ attributes: { team: "red" }, value: 4 }];
  const histogram = { count: 2, sum: 3, min: 1, max: 2, buckets: [1, 1], attributes: {} };
  const metrics = [
    { name: "depth", kind: "gauge", points, ...named },
    { name: "cost", kind: "sum", points, ...named },
    { name: "claim", kind: "histogram", bounds: [1], points: [histogram], ...named },
  ] as unknown as Metric[];
  const body = JSON.parse(metricsBody({}, metrics, 1, 2));
  const times = { startTimeUnixNano: "1000000", timeUnixNano: "2000000" };
  const attributes = [{ key: "team", value: { stringValue: "red" } }];
  const dataPoints = [{ ...times, attributes, asDouble: 4 }];
  const described = { unit: "1", description: "a number" };
  expect(body.resourceMetrics[0].scopeMetrics[0].metrics).toEqual([
    { name: "depth", ...described, gauge: { dataPoints } },
    { name: "cost", ...described, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } },
    {
      name: "claim",
      ...described,
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            ...times,
            attributes: [],
            ...{ count: "2", sum: 3, min: 1, max: 2 },
            bucketCounts: ["1", "1"],
            explicitBounds: [1],
          },
        ],
      },
    },
  ]);
});
