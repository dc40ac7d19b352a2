/** For a member that has finished something large. The harness sums up without it when the context is full. */
import { z } from "zod";
import { defineTool } from "./define.ts";

export const compact = defineTool({
  name: "compact",
  description: "Replace the conversation by a summary before the next turn.",
  access: "read",
  input: () => z.object({}),
  run: (_, ctx) => {
    if (!ctx.compact)
      return Promise.reject(new Error("This conversation cannot be summed up. Go on without a summary."));
    ctx.compact();
    return Promise.resolve("The conversation is summed up before your next turn.");
  },
});
