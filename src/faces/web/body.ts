/** The JSON that a page posts. */
import { badInput } from "../../core/errors.ts";

const BODY_MAX = 1_000_000;

/** @throws EkidenError `bad_input` */
export async function bodyOf(request: Request): Promise<unknown> {
  if (!(request.headers.get("content-type") ?? "").startsWith("application/json"))
    throw badInput("The request is not JSON.");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_MAX) throw badInput(`The text is too long: the limit is ${BODY_MAX} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw badInput("The request is not JSON.");
  }
}
