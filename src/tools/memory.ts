/** Memory by hand: `recall` where something is remembered, `remember` where the project keeps a memory. */
import { z } from "zod";
import type { Instant } from "../core/ids.ts";
import type { Note } from "../core/project/memory.ts";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";

/** What the tools need of memory; the folder on disk has it. */
export type Notebook = {
  /** @throws EkidenError `not_found` with the topics there are. */
  recall(topic: string): Promise<string>;
  /** @throws EkidenError `bad_input` for text that may not be kept. */
  remember(note: Note, by: string, at: Instant): Promise<"stored" | "known">;
};

/** `isEmpty`: nothing is remembered yet, so there is nothing to recall. */
export const memoryTools = (notebook: Notebook, isEmpty: boolean): Tool[] =>
  isEmpty ? [rememberIn(notebook)] : [recallFrom(notebook), rememberIn(notebook)];

const recallFrom = (notebook: Notebook): Tool =>
  defineTool({
    name: "recall",
    description: "Read a topic of memory.",
    access: "read",
    input: () => z.object({ topic: text }),
    subject: ({ topic }) => topic,
    run: ({ topic }) => notebook.recall(topic),
  });

const rememberIn = (notebook: Notebook): Tool =>
  defineTool({
    name: "remember",
    description: "Keep a fact for later sessions. No secrets.",
    access: "team",
    input: () => z.object({ topic: text.describe("such as build"), text: text }),
    subject: ({ topic }) => topic,
    run: async (note, { self, clock }) =>
      (await notebook.remember(note, self, clock.now())) === "stored"
        ? "Remembered."
        : "That was known already.",
  });
