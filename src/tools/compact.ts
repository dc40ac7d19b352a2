/** For a member that has finished something large. The harness sums up without it when the context is full. */
import { z } from "zod";
import type { Tool } from "../ports/index.ts";
import { defineTool } from "./define.ts";

/** Characters of a conversation: a summary of less costs more than it saves. */
const LONG = 40_000;

/** `size`: characters of the conversation now. */
export const compact = (size: () => number): Tool =>
  defineTool({
    name: "compact",
    description: "Summarise your conversation.",
    access: "read",
    membersOnly: true,
    input: () => z.strictObject({}),
    run: (_, ctx) => {
      if (!ctx.compact)
        return Promise.reject(
          new Error("This conversation cannot be summed up. Continue without a summary."),
        );
      if (size() < LONG)
        return Promise.reject(new Error("Your conversation is short and needs no summary. Continue."));
      ctx.compact();
      return Promise.resolve("The conversation is summed up before your next turn.");
    },
  });
