/** Reads a part of a text file as a stream, so the size of the file does not matter; shows an image as it is. */
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { IMAGE_MAX, type ImageFile, imageName, mediaTypeOf } from "../core/conversation/image.ts";
import { cutEnd } from "../core/conversation/valid.ts";
import { EkidenError } from "../core/errors.ts";
import { binaryKind } from "./binary.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";
import { withFile } from "./opened.ts";
import { placeOf } from "./workspace.ts";

const LINES = 2_000;
const CHARS = 40_000;
const LINE_CHARS = 1_000;
/** Lines are counted to the end of a file only up to this size. */
const COUNTED_BYTES = 16 * 1024 * 1024;

export const readFile = defineTool({
  name: "read_file",
  description: "Read a text file with line numbers, or see an image.",
  input: () =>
    z.object({
      path: text,
      offset: maybe.whole.describe("first line, from 1"),
      limit: maybe.whole.describe("lines"),
    }),
  access: "read",
  subject: ({ path }) => path,
  async run({ path, offset = 1, limit = LINES }, ctx) {
    if (offset < 1) throw new EkidenError("bad_input", `offset ${offset}: line numbers start at 1.`);
    if (limit < 1) throw new EkidenError("bad_input", `limit ${limit}: it must be at least 1.`);
    const place = await placeOf(path, ctx, "read");
    const { shown } = place;
    const { size, image, ...part } = await withFile(place, "read", async (file, size) => {
      const image = size <= IMAGE_MAX && ctx.showImage ? await imageIn(file, size, place.real) : null;
      const part = await readLines(file, size, offset, Math.min(limit, LINES), ctx.signal);
      return { ...part, size, image };
    });
    if (image && part.binary !== null && ctx.showImage) {
      await ctx.showImage(image);
      return `${shown} is an image. You see it below.`;
    }
    if (size === 0 && part.seen === 0) return `${shown} is empty.`;
    if (part.binary !== null)
      return `${shown} is a binary file (${part.binary}, ${size} bytes). Examine it with bash, for example with file or xxd.`;
    if (part.lines.length === 0)
      throw new EkidenError(
        "bad_input",
        `${shown} has only ${part.seen} lines; offset ${offset} is beyond its end.`,
      );
    const last = offset + part.lines.length - 1;
    const text = part.lines.map((line, i) => `${offset + i}\t${line}`).join("\n");
    if (!part.more) return text;
    const of = part.counted ? `of ${part.seen} lines` : `of a file of ${size} bytes`;
    return `${text}\n[lines ${offset} to ${last} ${of}; go on with offset ${last + 1}]`;
  },
});

const HEAD = 12;

/** Null for a file that is none of the images that models are shown. */
async function imageIn(file: FileHandle, size: number, path: string): Promise<ImageFile | null> {
  const first = async (length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  };
  const mediaType = mediaTypeOf(await first(HEAD));
  return mediaType && { name: imageName(path), mediaType, content: await first(size) };
}

/** Many editors write one; it is not part of the first line. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

type Part = { lines: string[]; seen: number; more: boolean; counted: boolean; binary: string | null };

/** Lines from `offset` on. Keeps one chunk and the shown lines in memory, also when the whole file is one line. */
async function readLines(
  file: FileHandle,
  size: number,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Part> {
  const part: Part = { lines: [], seen: 0, more: false, counted: size <= COUNTED_BYTES, binary: null };
  let chars = 0;
  let line: Buffer[] = [];
  let lineBytes = 0;
  let first = true;
  const endLine = (): void => {
    part.seen += 1;
    const wanted = part.seen >= offset && part.lines.length < limit && chars < CHARS;
    if (wanted && !part.more) {
      const text = cut(Buffer.concat(line).toString("utf8"), lineBytes);
      chars += text.length;
      part.lines.push(text);
    } else if (part.seen > offset) part.more = true;
    line = [];
    lineBytes = 0;
  };
  const take = (bytes: Buffer): void => {
    // Keep only as much of a line as can be shown (a character has at most 4 bytes).
    const room = LINE_CHARS * 4 + 4 - lineBytes;
    if (room > 0 && part.seen + 1 >= offset) line.push(bytes.subarray(0, room));
    lineBytes += bytes.length;
  };
  for await (const chunk of file.createReadStream({
    signal,
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    let from = 0;
    if (first) {
      part.binary = binaryKind(chunk);
      if (part.binary !== null) return part;
      if (chunk.subarray(0, 3).equals(BYTE_ORDER_MARK)) from = 3;
    }
    first = false;
    for (let at = chunk.indexOf(10, from); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at));
      endLine();
      from = at + 1;
      if (part.more && !part.counted) return part;
    }
    take(chunk.subarray(from));
  }
  if (lineBytes > 0) endLine();
  return part;
}

function cut(text: string, bytes: number): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  return line.length <= LINE_CHARS && bytes <= LINE_CHARS * 4 + 4
    ? line
    : `${cutEnd(line, LINE_CHARS)} [… line of ${bytes} bytes cut]`;
}
