/** Reads the end of a file that may still grow or may not exist yet. Only regular files: a FIFO would block the reader. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

export async function sizeOf(path: string): Promise<number> {
  return (await read(path, async (_, size) => size)) ?? 0;
}

/** At most the last `bytes`, from the start of a line if there is one. */
export async function tailOf(path: string, bytes: number): Promise<string> {
  const tail = await read(path, async (file, size) => {
    const from = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const text = buffer.subarray(0, bytesRead).toString("utf8").replaceAll("\0", "\u2400");
    const line = from > 0 ? text.indexOf("\n") + 1 : 0;
    return line < text.length ? text.slice(line) : text;
  });
  return tail ?? "";
}

/** Null if there is no regular file. The check is of the opened file. */
async function read<T>(path: string, use: (file: FileHandle, size: number) => Promise<T>): Promise<T | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(path, flags).catch(() => null);
  if (!file) return null;
  try {
    const stat = await file.stat();
    return stat.isFile() ? await use(file, stat.size) : null;
  } finally {
    await file.close();
  }
}
