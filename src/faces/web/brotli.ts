/** Brotli for the server's JSON, where a browser takes it: a third smaller than gzip for a board of thousands of tasks, in less time. */
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { MiddlewareHandler } from "hono";

const smaller = promisify(brotliCompress);
/** Compression gains nothing below this size. */
const LEAST = 1_024;
/** Each further percent above level 5 costs as much time again. A window of 512 kB finds the repetitions in lists. */
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 19 };

export const brotli: MiddlewareHandler = async (c, next) => {
  await next();
  const accepted = (c.req.header("accept-encoding") ?? "").split(/\s*,\s*/);
  if (!accepted.includes("br") || !c.res.headers.get("Content-Type")?.startsWith("application/json")) return;
  const { status, headers } = c.res;
  const body = Buffer.from(await c.res.arrayBuffer());
  const isLong = body.length >= LEAST;
  const sent = isLong ? await smaller(body, { params: PARAMS }) : body;
  c.res = new Response(new Uint8Array(sent), { status, headers });
  c.header("Vary", "Accept-Encoding");
  if (isLong) c.header("Content-Encoding", "br");
};
