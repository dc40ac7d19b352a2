/** For a member that knows it is done with something large. The harness sums up by itself when it must. */
import { z } from "zod";
import { defineTool } from "./define.ts";

export const compact = defineTool({
  name: "compact",
  description: "Replace the conversation so far by a summary, before the next turn.",
  access: "read",
  input: () => z.object({}),
  run: (_, ctx) => {
    if (!ctx.compact)
      return Promise.reject(new Error("This conversation cannot be summed up. Go on without."));
    ctx.compact();
    return Promise.resolve("It is summed up before your next turn.");
  },
});
