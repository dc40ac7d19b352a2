/** The text of PDF files. */

export type PdfText = {
  /** The pages of the whole file. */
  readonly pageCount: number;
  /** From the first page that was asked for; fewer than asked for where the file ends or `maxChars` is reached. */
  readonly pages: readonly string[];
};

export type PdfPart = {
  /** From 1. */
  readonly firstPage: number;
  readonly maxPages: number;
  /** No page is read once the pages before it have so many characters. */
  readonly maxChars: number;
};

/** @throws EkidenError `tool_failed` for what cannot be read: says why */
export type ReadPdf = (content: Uint8Array, part: PdfPart, signal: AbortSignal) => Promise<PdfText>;
