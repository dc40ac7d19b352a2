/** The text of an answer, up to a size that holds before and after it is unpacked. */

import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { badInput, messageOf } from "../../core/errors.ts";
import { tried } from "../../core/tried.ts";

/** `text` null: it is no text. */
export type Content = { readonly mediaType: string; readonly text: string | null; readonly isCut: boolean };

const TEXT =
  /^(?:text\/.*|application\/(?:.*[+])?(?:json|xml|yaml|javascript|x-ndjson|toml|x-sh|sql|graphql).*)$/;

export async function contentOf(answer: IncomingMessage, max: number, signal: AbortSignal): Promise<Content> {
  const [, mediaType = "application/octet-stream", charset] =
    /^\s*([\w.+-]+\/[\w.+-]+)(?:.*charset\s*=\s*"?([\w-]+))?/i.exec(
      answer.headers["content-type"] ?? "text/html",
    ) ?? [];
  const type = mediaType.toLowerCase();
  if (!TEXT.test(type)) {
    answer.destroy();
    return { mediaType: type, text: null, isCut: false };
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const body = unpacked(answer);
  const stop = (): void => void body.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, max - bytes));
      bytes += chunk.length;
      if (bytes >= max) break; // it is closed with the loop
    }
  } catch (error) {
    throw badInput(`The response was cut off: ${messageOf(error)}`);
  } finally {
    signal.removeEventListener("abort", stop);
    answer.destroy();
  }
  const content = Buffer.concat(chunks);
  const named =
    charset ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(content.toString("latin1", 0, 4_096))?.[1];
  return { mediaType: type, text: decoded(content, named), isCut: bytes >= max };
}

function unpacked(answer: IncomingMessage): Readable {
  const coding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const by = /^(?:x-)?gzip$|^deflate$/.test(coding)
    ? createUnzip()
    : coding === "br"
      ? createBrotliDecompress()
      : null;
  if (by === null) return answer;
  answer.on("error", (error) => by.destroy(error));
  return answer.pipe(by);
}

const decoded = (content: Buffer, charset: string | undefined): string =>
  tried(() => new TextDecoder(charset ?? "utf-8").decode(content), new TextDecoder("utf-8").decode(content)); // an unknown character set
