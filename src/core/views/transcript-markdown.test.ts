import { expect, it } from "vitest";
import { instant, type Name } from "../ids.ts";
import type { TranscriptData } from "./transcript.ts";
import { transcriptMarkdown } from "./transcript-markdown.ts";

const at = instant(1_700_000_000_000);
const TIME = "*2023-11-14T22:13:20.000Z*";

it("keeps words as they are, and puts what tools printed into a fence that the text cannot end", () => {
  const result = { id: "1", tool: "bash", text: "```\n# not a heading\n````", isError: false };
  const entries = [
    { seq: 1, at, entry: { kind: "heard", text: "Say **hello**." } },
    {
      seq: 2,
      at,
      entry: { kind: "said", message: { role: "assistant", content: [{ type: "text", text: "# Hello" }] } },
    },
    { seq: 3, at, entry: { kind: "result", result } },
  ] as unknown as TranscriptData["entries"];
  expect(transcriptMarkdown({ name: "ann" as Name, entries })).toBe(
    [
      "# ann",
      ...["## To ann", TIME, "```\nSay **hello**.\n```"],
      ...["## ann", TIME, "# Hello"],
      ...["## ← bash", TIME, `\`\`\`\`\`\n${result.text}\n\`\`\`\`\`\n`],
    ].join("\n\n"),
  );
});
