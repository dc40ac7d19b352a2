/** `recall` and `remember`, where the project keeps a memory. */
import { z } from "zod";
import type { Instant } from "../core/ids.ts";
import type { Note } from "../core/project/memory.ts";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { text } from "./inputs.ts";

/** The part of memory that the tools need. */
export type Notebook = {
  /** @throws EkidenError `not_found` with the known topics. */
  recall(topic: string): Promise<string>;
  /** @throws EkidenError `bad_input` for text that may not be kept. */
  remember(note: Note, by: string, at: Instant): Promise<"stored" | "known">;
};

export const memoryTools = (notebook: Notebook): Tool[] => [recallFrom(notebook), rememberIn(notebook)];

const recallFrom = (notebook: Notebook): Tool =>
  defineTool({
    name: "recall",
    description: "Read a memory topic.",
    access: "read",
    input: () => z.strictObject({ topic: text }),
    subject: ({ topic }) => topic,
    reads: () => [],
    run: ({ topic }) => notebook.recall(topic),
  });

const rememberIn = (notebook: Notebook): Tool =>
  defineTool({
    name: "remember",
    description: "Save a fact for later sessions. No secrets.",
    access: "team",
    input: () => z.strictObject({ topic: text.describe("such as build"), text: text }),
    subject: ({ topic }) => topic,
    run: async (note, { self, clock }) =>
      (await notebook.remember(note, self, clock.now())) === "stored"
        ? "Remembered."
        : "That was already known.",
  });
