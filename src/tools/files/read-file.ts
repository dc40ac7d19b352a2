/** Reads a part of a text file as a stream, so the size of the file does not matter; shows an image as it is, and a PDF by pages. */
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { IMAGE_MAX, type ImageFile, imageName, mediaTypeOf } from "../../core/conversation/image.ts";
import { imageFault } from "../../core/conversation/image-size.ts";
import { badInput, isEkidenError } from "../../core/errors.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";
import { binaryKind } from "./binary.ts";
import { withFile } from "./opened.ts";
import { noteRead } from "./seen-files.ts";
import { placeOf } from "./workspace.ts";

/** Larger ones are left to programs. */
const PDF_BYTES = 64 * 1024 * 1024;
const LINES = 2_000;
const CHARS = 40_000;
const LINE_CHARS = 1_000;
/** Lines are counted to the end of a file only up to this size. */
const COUNTED_BYTES = 16 * 1024 * 1024;

export const readFile = defineTool({
  name: "read_file",
  description: "Read text with line numbers, notebooks, PDF pages, images.",
  input: () =>
    z.strictObject({
      path: text,
      offset: maybe.whole,
      limit: maybe.whole,
    }),
  access: "read",
  subject: ({ path }) => path,
  reads: ({ path }) => [path],
  lasting: true,
  async run({ path, offset = 1, limit = LINES }, ctx) {
    if (offset < 1) throw badInput(`offset ${offset}: line numbers start at 1.`);
    if (limit < 1) throw badInput(`limit ${limit}: it must be at least 1.`);
    const place = await placeOf(path, ctx, "read");
    const { shown } = place;
    const { size, image, pdf, ...part } = await withFile(place, "read", async (file, size) => {
      await noteRead(ctx, place, file);
      const image = size <= IMAGE_MAX && ctx.showImage ? await imageIn(file, size, place.real) : null;
      const isPdf = ctx.readPdf && size <= PDF_BYTES && (await first(file, 5)).toString("latin1") === "%PDF-";
      const pdf = isPdf ? await first(file, size) : null;
      const most = Math.min(limit, LINES);
      const cells = place.real.endsWith(".ipynb") ? await cellsIn(file, size) : null;
      const part =
        cells === null
          ? await readLines(file, size, offset, most, ctx.signal)
          : linesFrom(cells.split("\n"), offset, most);
      return { ...part, size, image, pdf };
    });
    if (image && part.binary !== null && ctx.showImage) {
      const fault = imageFault(image);
      if (fault !== null)
        return `${shown} is an image that no model can be shown: ${fault}. Examine it with bash, for example with file; a smaller copy can be read.`;
      await ctx.showImage(image);
      return `${shown} is an image. You see it below.`;
    }
    if (pdf && ctx.readPdf) {
      const { pdfPages } = await import("./pdf-pages.ts");
      const wanted = { shown, content: pdf, offset, limit, signal: ctx.signal };
      const text = await pdfPages(ctx.readPdf, wanted).catch((error: unknown) => {
        // Text may begin like a PDF.
        if (part.binary !== null || !isEkidenError(error, "tool_failed")) throw error;
        return null;
      });
      if (text !== null) return text;
    }
    if (size === 0 && part.seen === 0) return `${shown} is empty.`;
    if (part.binary !== null)
      return `${shown} is a binary file (${part.binary}, ${size} bytes). Examine it with bash, for example with ${part.binary === "PDF" ? "pdftotext" : "file or xxd"}.`;
    if (part.lines.length === 0)
      throw badInput(`${shown} has only ${part.seen} lines; offset ${offset} is beyond its end.`);
    const last = offset + part.lines.length - 1;
    const text = part.lines.map((line, i) => `${offset + i}\t${line}`).join("\n");
    if (!part.more) return text + part.note;
    const of = part.counted ? `of ${part.seen} lines` : `of a file of ${size} bytes`;
    return `${text}\n[lines ${offset} to ${last} ${of}; continue with offset ${last + 1}]${part.note}`;
  },
});

const HEAD = 12;

/** Null for a file that is none of the images that models are shown. */
async function imageIn(file: FileHandle, size: number, path: string): Promise<ImageFile | null> {
  const mediaType = mediaTypeOf(await first(file, HEAD));
  return mediaType && { name: imageName(path), mediaType, content: await first(file, size) };
}

/** The first bytes. Where the file is read next does not change. */
async function first(file: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Null for what is no notebook, or a very large one: that is read as any other text. */
async function cellsIn(file: FileHandle, size: number): Promise<string | null> {
  if (size > COUNTED_BYTES) return null;
  const { notebookText } = await import("./notebook.ts");
  return notebookText((await first(file, size)).toString("utf8"));
}

const NOTEBOOK =
  "\n[The cells of a notebook, with the beginnings of their outputs. The file itself is JSON: change it with a program, or look at its text with bash before edit_file.]";

function linesFrom(all: readonly string[], offset: number, limit: number): Part {
  let chars = 0;
  const lines: string[] = [];
  for (const line of all.slice(offset - 1, offset - 1 + limit)) {
    if (chars >= CHARS) break;
    chars += Math.min(line.length, LINE_CHARS);
    lines.push(cut(line, Buffer.byteLength(line)));
  }
  const more = offset - 1 + lines.length < all.length;
  return { lines, seen: all.length, more, counted: true, binary: null, note: NOTEBOOK };
}

/** Many editors write one; it is not part of the first line. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** `note`: a sentence about the whole. */
type Part = {
  lines: string[];
  seen: number;
  more: boolean;
  counted: boolean;
  binary: string | null;
  readonly note: string;
};

/** Lines from `offset` on. Keeps one chunk and the shown lines in memory, also when the whole file is one line. */
async function readLines(
  file: FileHandle,
  size: number,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Part> {
  const counted = size <= COUNTED_BYTES;
  const part: Part = { lines: [], seen: 0, more: false, counted, binary: null, note: "" };
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
  signal.throwIfAborted(); // a stream that begins with an aborted signal fails outside of this loop
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
