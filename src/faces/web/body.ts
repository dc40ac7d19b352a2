/** The JSON that a page posts. */
import { EkidenError } from "../../core/errors.ts";

const BODY_MAX = 1_000_000;

/** @throws EkidenError `bad_input` */
export async function bodyOf(request: Request): Promise<unknown> {
  if (!(request.headers.get("content-type") ?? "").startsWith("application/json"))
    throw new EkidenError("bad_input", "The request is not JSON.");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_MAX)
      throw new EkidenError("bad_input", `The text is too long: at most ${BODY_MAX} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new EkidenError("bad_input", "The request is not JSON.");
  }
}
