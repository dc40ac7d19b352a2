/** Sends OTLP over HTTP as JSON, as the standard variables (OTEL_…) say. Nothing here ever fails its caller. */

import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { tried } from "../../core/tried.ts";

export type Otlp = {
  /** Null: this signal is not exported. */
  readonly traces: URL | null;
  readonly metrics: URL | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of batches of spans, and of metrics. */
  readonly spansMs: number;
  readonly metricsMs: number;
  readonly resource: Readonly<Record<string, string>>;
};

/** Null: not configured, or switched off. A string: why it cannot be used. */
export function otlpFrom(env: NodeJS.ProcessEnv): Otlp | string | null {
  const read = (name: string): string => env[`OTEL_${name}`]?.trim() ?? "";
  if (/^true$/i.test(read("SDK_DISABLED"))) return null;
  const base = read("EXPORTER_OTLP_ENDPOINT");
  const addressOf = (signal: "traces" | "metrics"): URL | string | null => {
    const name = `EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
    if (/^none$/i.test(read(`${signal.toUpperCase()}_EXPORTER`))) return null;
    const own = read(name);
    const given = own || base;
    if (given === "") return null;
    const text = own || `${base.replace(/\/+$/, "")}/v1/${signal}`;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url && /^https?:$/.test(url.protocol)) return url;
    return `OTEL_${own ? name : "EXPORTER_OTLP_ENDPOINT"} is ${JSON.stringify(given)}, expected an address such as http://127.0.0.1:4318`;
  };
  const [traces, metrics] = [addressOf("traces"), addressOf("metrics")];
  for (const one of [traces, metrics]) if (typeof one === "string") return one;
  if (traces === null && metrics === null) return null;
  if (/^grpc$/i.test(read("EXPORTER_OTLP_PROTOCOL")))
    return "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but only OTLP over HTTP is spoken here. Set it to http/json and name the collector's HTTP port, usually 4318";
  const number = (name: string, otherwise: number): number => Number(read(name)) || otherwise;
  return {
    traces: traces as URL | null,
    metrics: metrics as URL | null,
    headers: list(read("EXPORTER_OTLP_HEADERS")),
    timeoutMs: number("EXPORTER_OTLP_TIMEOUT", 10_000),
    spansMs: number("BSP_SCHEDULE_DELAY", 5_000),
    metricsMs: number("METRIC_EXPORT_INTERVAL", 60_000),
    resource: {
      ...list(read("RESOURCE_ATTRIBUTES")),
      ...(read("SERVICE_NAME") && { "service.name": read("SERVICE_NAME") }),
    },
  };
}

/** "a=1,b=two%20words" */
const list = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      if (at <= 0) return [];
      const value = pair.slice(at + 1).trim();
      return tried(
        () => [[pair.slice(0, at).trim(), decodeURIComponent(value)]],
        [[pair.slice(0, at).trim(), value]],
      );
    }),
  );

/** Answers after which the standard asks for another try. */
const RETRIED = new Set([429, 502, 503, 504]);
const WAITS_MS = [250, 1_000, 2_000];

/** Null when it was accepted, otherwise why not. */
export async function post(
  url: URL,
  body: string,
  { headers, timeoutMs }: Pick<Otlp, "headers" | "timeoutMs">,
  signal?: AbortSignal,
): Promise<string | null> {
  let why = "";
  for (let attempt = 0; ; attempt += 1) {
    const { status, reason, retryAfterMs } = await send(url, body, headers, timeoutMs, signal);
    if (status >= 200 && status < 300) return null;
    why = status === 0 ? reason : `answered ${status}`;
    const wait = WAITS_MS[attempt];
    if (wait === undefined || signal?.aborted || (status !== 0 && !RETRIED.has(status))) return why;
    await pause(Math.min(retryAfterMs ?? wait, 5_000), undefined, { signal }).catch(() => {});
  }
}

type Answer = { readonly status: number; readonly reason: string; readonly retryAfterMs?: number };

const send = (
  url: URL,
  body: string,
  headers: Otlp["headers"],
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Answer> =>
  new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ status: 0, reason: error.message || error.name });
    try {
      const call = (url.protocol === "https:" ? secure : plain)(
        url,
        {
          method: "POST",
          timeout,
          ...(signal && { signal }),
          headers: {
            ...headers,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          },
        },
        (response) => {
          response.resume();
          response.once("error", fail);
          const after = Number(response.headers["retry-after"]);
          response.once("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              reason: "",
              ...(after >= 0 && { retryAfterMs: after * 1000 }),
            }),
          );
        },
      );
      call.once("error", fail);
      call.once("timeout", () => call.destroy(new Error(`no answer in ${timeout} ms`)));
      call.end(body);
    } catch (error) {
      fail(error as Error); // a header that HTTP does not allow
    }
  });
