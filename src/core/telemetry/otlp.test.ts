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

it("writes sums since the start of the process", () => {
  const metric: Metric = {
    ...{ name: "cost", unit: "1", about: "a number" },
    points: [{ attributes: { team: "red" }, value: 4 }],
  };
  const body = JSON.parse(metricsBody({}, [metric], 1, 2));
  const dataPoints = [
    {
      ...{ startTimeUnixNano: "1000000", timeUnixNano: "2000000", asDouble: 4 },
      attributes: [{ key: "team", value: { stringValue: "red" } }],
    },
  ];
  expect(body.resourceMetrics[0].scopeMetrics[0].metrics).toEqual([
    {
      ...{ name: "cost", unit: "1", description: "a number" },
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints },
    },
  ]);
});
