/** A PDF as `read_file` shows it: the text of its pages, each behind its number. */

import { badInput } from "../../core/errors.ts";
import { plainText } from "../../core/text/plain-text.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { ReadPdf } from "../../ports/pdf.ts";

const PAGES = 20;
const CHARS = 40_000;

type WantedPages = {
  readonly shown: string;
  readonly content: Uint8Array;
  /** The first page, from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
};

/** @throws EkidenError `bad_input` for pages beyond the end and what `ReadPdf` cannot read */
export async function pdfPages(
  readPdf: ReadPdf,
  { shown, content, offset, limit, signal }: WantedPages,
): Promise<string> {
  const part = { firstPage: offset, maxPages: Math.min(limit, PAGES), maxChars: CHARS };
  const { pageCount, pages } = await readPdf(content, part, signal);
  if (pages.length === 0)
    throw badInput(`${shown} has only ${pageCount} pages; page ${offset} is beyond its end.`);
  let room = CHARS;
  const texts = pages.map((page, i) => {
    const text = plainText(page).trim();
    const part = text.length > room ? `${cutEnd(text, room)}\n[… the page is cut]` : text;
    room -= Math.min(room, text.length);
    return `[page ${offset + i}]\n${part || "(no text)"}`;
  });
  const last = offset + pages.length - 1;
  const rest = last < pageCount ? `; continue with offset ${last + 1}` : "";
  const scanned = pages.some((page) => page.trim() !== "")
    ? ""
    : " These pages have no text: they may be scanned pictures, which pdftoppm makes visible.";
  return `${texts.join("\n")}\n[the text of pages ${offset} to ${last} of ${pageCount}, without pictures; offset and limit count pages${rest}.${scanned}]`;
}
