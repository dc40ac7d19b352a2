/** OpenTelemetry: what arrives at a receiver of OTLP over HTTP, and what happens when there is none. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { otlpFrom } from "../../../src/adapters/telemetry/otlp.ts";
import { Project } from "../cli-program.ts";

type Value = { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
type Pair = { key: string; value: Value };
type SpanData = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pair[];
  status: { code?: number };
};
type MetricData = {
  name: string;
  unit: string;
  [kind: string]: unknown;
};

/** Parses what the protocol allows, and nothing else. */
class Receiver {
  readonly spans: SpanData[] = [];
  readonly metrics = new Map<string, MetricData>();
  readonly headers: IncomingMessage["headers"][] = [];
  resource: Record<string, unknown> = {};
  /** The number of requests that are refused before one is accepted. */
  refuse = 0;
  private readonly server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      this.headers.push(request.headers);
      if (this.refuse > 0) {
        this.refuse -= 1;
        response.writeHead(503, { "retry-after": "0" }).end();
        return;
      }
      if (request.url === "/v1/traces") this.takeTraces(JSON.parse(body));
      else if (request.url === "/v1/metrics") this.takeMetrics(JSON.parse(body));
      else return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });

  async listen(): Promise<string> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private takeTraces(body: {
    resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: SpanData[] }[] }[];
  }): void {
    for (const { resource, scopeSpans } of body.resourceSpans) {
      this.resource = plain(resource.attributes);
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }

  private takeMetrics(body: { resourceMetrics: { scopeMetrics: { metrics: MetricData[] }[] }[] }): void {
    for (const { scopeMetrics } of body.resourceMetrics)
      for (const { metrics } of scopeMetrics) for (const one of metrics) this.metrics.set(one.name, one);
  }
}

const plain = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );

let project: Project;
let receiver: Receiver;
let endpoint: string;
beforeEach(async () => {
  project = new Project();
  receiver = new Receiver();
  endpoint = await receiver.listen();
  project.write({
    "plan.md":
      "# Two\n\n## First\n\n```sh\necho topsecret\n```\n\n## Second\n\nAfter: #1\n\n```sh\nexit 3\n```\n",
    ".ekiden/settings.json": JSON.stringify({ teammates: 1, sandbox: "off" }),
  });
});
afterEach(async () => {
  receiver.close();
  await project.end();
});

it("sends the spans and metrics of a run, by the names of the conventions, without any text of the work", async () => {
  receiver.refuse = 1;
  await project.run(["run", "plan.md"], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc,x-team=a",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_SERVICE_NAME: "relay",
    },
  });
  expect(receiver.headers[0]).toMatchObject({
    authorization: "Bearer abc",
    "x-team": "a",
    "content-type": "application/json",
  });
  expect(receiver.resource).toMatchObject({
    "service.name": "relay",
    "service.version": expect.stringMatching(/^\d/),
    "deployment.environment.name": "test",
    "ekiden.team": "default",
  });

  const { spans } = receiver;
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) {
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(Date.now() - Number(BigInt(span.startTimeUnixNano) / 1_000_000n)).toBeLessThan(600_000);
    if (span.parentSpanId) {
      const parent = byId.get(span.parentSpanId);
      expect(parent?.traceId).toBe(span.traceId);
      expect(parent?.name).toMatch(/^invoke_agent /);
      expect(BigInt(parent?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(span.endTimeUnixNano));
    }
  }
  const named = (name: string) =>
    spans
      .filter((span) => span.name === name)
      .map((span) => ({ ...span, attributes: plain(span.attributes) }));
  const attempts = named("invoke_agent alice").filter(({ attributes }) => "ekiden.task.id" in attributes);
  expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
    {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "alice",
      "gen_ai.conversation.id": "default/alice",
      "ekiden.task.id": 1,
      "ekiden.task.attempt": 1,
      "ekiden.task.outcome": "completed",
    },
    { "ekiden.task.id": 2, "ekiden.task.outcome": "failed", "error.type": "failed" },
  ]);
  expect(attempts.map(({ status }) => status.code)).toEqual([undefined, 2]);
  const [first] = attempts;
  const below = spans.filter(({ parentSpanId }) => parentSpanId === first?.spanId).map(({ name }) => name);
  expect(below).toEqual(
    expect.arrayContaining(["chat runbook", "execute_tool bash", "execute_tool complete_task"]),
  );
  expect(named("chat runbook")[0]).toMatchObject({
    kind: 3,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "runbook",
      "gen_ai.request.model": "runbook",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
    },
  });
  expect(named("execute_tool bash")[0]?.attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "bash",
    "gen_ai.tool.type": "function",
  });
  expect(JSON.stringify([spans, [...receiver.metrics.values()]])).not.toContain("topsecret");

  expect([...receiver.metrics.keys()].sort()).toEqual(["ekiden.cost", "ekiden.tasks.ended"]);
  expect(receiver.metrics.get("ekiden.tasks.ended")).toMatchObject({
    unit: "{task}",
    sum: { aggregationTemporality: 2, dataPoints: [{ asDouble: 1 }, { asDouble: 1 }] },
  });
});

it("works on when the receiver is away, and says so once", async () => {
  receiver.close();
  const ran = await project.run(["run", "plan.md"], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "50",
    },
  });
  expect(ran.code).toBe(1); // the second task fails
  const log = await project.run(["log"]);
  const warnings = log.stdout.split("\n").filter((line) => line.includes("Telemetry: "));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("ECONNREFUSED");
});

it("reads the standard variables, and says what cannot be used", () => {
  const base = "OTEL_EXPORTER_OTLP_ENDPOINT";
  expect(otlpFrom({})).toBeNull();
  expect(otlpFrom({ [base]: endpoint, OTEL_SDK_DISABLED: "true" })).toBeNull();
  expect(otlpFrom({ [base]: "collector:4318" })).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"/);
  expect(otlpFrom({ [base]: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toMatch(/http\/json/);
  const read = otlpFrom({
    [base]: "https://c.example/otlp/",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t.example/own",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_HEADERS: "a=%zz, =x,b=1=2",
    OTEL_BSP_SCHEDULE_DELAY: "soon",
  });
  expect(read).toMatchObject({
    traces: new URL("http://t.example/own"),
    metrics: new URL("https://c.example/otlp/v1/metrics"),
    headers: { a: "%zz", b: "1=2" },
    spansMs: 5_000,
  });
  expect(otlpFrom({ [base]: endpoint, OTEL_TRACES_EXPORTER: "none" })).toMatchObject({ traces: null });
});
