/**
 * Reads the text of PDF files in a thread of its own: a file made to be slow or large ends the thread and not the process, whose
 * members and leases continue. The library is found on disk at run time; nothing of it is loaded before the first PDF.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type EkidenError, toolFailed } from "../core/errors.ts";
import type { PdfText, ReadPdf } from "../ports/pdf.ts";

const TIME_MS = 30_000;
const MEMORY_MB = 512;
/** A thread's limit does not count its buffers: the whole process may grow by so much. */
const GROWTH_MB = 1_024;
const LOOK_MS = 100;

const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { library, content, firstPage, maxPages, maxChars } = workerData;
(async () => {
  const { getDocumentProxy } = await import(library);
  const file = await getDocumentProxy(content, { verbosity: 0 });
  const pages = [];
  const last = Math.min(file.numPages, firstPage + maxPages - 1);
  for (let number = firstPage, chars = 0; number <= last && chars < maxChars; number += 1) {
    const page = await file.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("");
    page.cleanup();
    pages.push(text);
    chars += text.length;
  }
  parentPort.postMessage({ pageCount: file.numPages, pages });
})().catch((error) => parentPort.postMessage({ fault: String(error?.name), words: String(error?.message ?? error) }));
`;

type Answer = PdfText | { readonly fault: string; readonly words: string };

const refusal = (why: string, cause?: unknown): EkidenError =>
  toolFailed(`The text of the PDF cannot be read: ${why}`, { cause });

const tooLarge = refusal("it needs too much memory.");

export const readPdf: ReadPdf = async (content, part, signal) => {
  signal.throwIfAborted();
  const library = pathToFileURL(createRequire(import.meta.url).resolve("unpdf")).href;
  const thread = new Worker(THREAD, {
    eval: true,
    workerData: { library, content, ...part },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  const before = process.memoryUsage.rss();
  let onAbort = (): void => {};
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge : refusal(`${error.message}.`, error)),
      );
      thread.once("exit", () => reject(refusal("its reader ended.")));
      timer = setTimeout(
        () => reject(refusal(`it took longer than ${TIME_MS / 1_000} s. Read fewer pages at once.`)),
        TIME_MS,
      );
      watch = setInterval(() => {
        if (process.memoryUsage.rss() - before > GROWTH_MB * 1_048_576) reject(tooLarge);
      }, LOOK_MS);
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort);
    });
    if (!("fault" in answer)) return answer;
    if (answer.fault === "PasswordException") throw refusal("it is protected by a password.");
    throw refusal(`${answer.words.replace(/\.$/, "")}.`);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
    await thread.terminate();
  }
};
