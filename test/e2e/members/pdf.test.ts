/** PDFs by `read_file`: pages and ranges, files that cannot be read, and files that are made to take the process down. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPdf } from "../../../src/adapters/pdf.ts";
import { pdfOf, pdfWith } from "../../fixtures/pdf.ts";
import { programTeam, resultsIn } from "../../fixtures/program-team.ts";

const part = { firstPage: 1, maxPages: 5, maxChars: 1_000 };
const { signal } = new AbortController();

it("shows a member the pages that it asks for, and what is no readable PDF by name", async () => {
  const read = (path: string, more = {}) => ({ tool: "read_file", input: { path, ...more } });
  const { host, folder, requests } = await programTeam({
    says: {
      lead: [
        {
          calls: [
            read("a.pdf"),
            read("a.pdf", { offset: 2, limit: 1 }),
            read("a.pdf", { offset: 9 }),
            read("locked.pdf"),
            read("notes"),
            read("scan.pdf"),
          ],
        },
        { text: "Done." },
      ],
    },
    settings: { teammates: [] },
  });
  writeFileSync(join(folder, "a.pdf"), pdfOf([["Total (net): 5", "next line"], ["page two"], []]));
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${"0".repeat(32)}) /U (${"1".repeat(32)}) /P -4 >> /ID [(a)(b)]`;
  writeFileSync(join(folder, "locked.pdf"), pdfOf([["secret"]], lock));
  writeFileSync(join(folder, "notes"), "%PDF- is how a PDF begins.");
  writeFileSync(join(folder, "scan.pdf"), pdfOf([[]]));
  await host.start({ goal: "Read." });
  await host.done;
  const [whole, second, beyond, locked, notes, scan] = resultsIn(requests("lead").at(-1));
  expect(whole).toContain("[page 1]\nTotal (net): 5\nnext line\n[page 2]\npage two\n[page 3]\n(no text)\n[");
  expect(whole).toContain("pages 1 to 3 of 3");
  expect(second).toMatch(
    /^read_file: \[page 2\]\npage two\n\[the text of pages 2 to 2 of 3.*continue with offset 3/,
  );
  expect(beyond).toContain("a.pdf has only 3 pages; page 9 is beyond its end.");
  expect(locked).toContain("protected by a password");
  expect(notes).toBe("read_file: 1\t%PDF- is how a PDF begins.");
  expect(scan).toContain("scanned");
});

it("reads no further than it is asked to", async () => {
  const file = pdfOf([...["x", "y"].map((one) => new Array(10).fill(one.repeat(60))), ["z"]]);
  expect((await readPdf(file, part, signal)).pages).toHaveLength(2);
  expect(await readPdf(file, { ...part, firstPage: 3 }, signal)).toEqual({ pageCount: 3, pages: ["z"] });
});

it("ends what does not end by itself, and the process continues meanwhile", { timeout: 60_000 }, async () => {
  const endless = pdfWith([Buffer.alloc(20_000_000, "q ")]);
  const stop = new AbortController();
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
    if (ticks === 20) stop.abort(new Error("enough"));
  }, 20);
  await expect(readPdf(endless, part, stop.signal)).rejects.toThrow("enough");
  clearInterval(ticking);
});

it.each([
  ["no objects", Buffer.from("%PDF-1.4\nrubbish")],
  ["half a file", pdfOf([["abc"]]).subarray(0, 300)],
  [
    "pages that name themselves",
    Buffer.from(
      pdfOf([["abc"]])
        .toString("latin1")
        .replace("[4 0 R]", "[2 0 R]"),
      "latin1",
    ),
  ],
])("says why it cannot read a file with %s", async (_, content) => {
  await expect(readPdf(content, part, signal)).rejects.toMatchObject({ code: "tool_failed" });
});
