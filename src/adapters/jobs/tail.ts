/** Reads the end of a file that may still grow or may not exist yet. */
import { open, stat } from "node:fs/promises";

export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

/** At most the last `bytes`, from the start of a line if there is one. */
export async function tailOf(path: string, bytes: number): Promise<string> {
  const file = await open(path, "r").catch(() => null);
  if (!file) return "";
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const text = buffer.subarray(0, bytesRead).toString("utf8").replaceAll("\0", "\u2400");
    const line = from > 0 ? text.indexOf("\n") + 1 : 0;
    return line < text.length ? text.slice(line) : text;
  } finally {
    await file.close();
  }
}
