/** The rules of a project (`AGENTS.md`, `CLAUDE.md`) as a section of a prompt. For permission rules see permission/rule.ts. */
import { tagged } from "../conversation/tags.ts";
import { cutEnd } from "../text/valid.ts";

/** Characters of one file that enter a prompt. */
const RULES_MAX = 16_000;

/** The section of a prompt; "" without rules. Files with the same text appear once. */
export function rulesSection(files: readonly { readonly file: string; readonly text: string }[]): string {
  const seen = new Set<string>();
  const kept = files.flatMap(({ file, text }) => {
    const body = text.trim();
    // a file that only refers to others ("@AGENTS.md") has no rules itself: such lines are not followed
    if (body.replace(/^@\S+[ \t]*$/gm, "").trim() === "" || seen.has(body)) return [];
    seen.add(body);
    const cut =
      body.length > RULES_MAX ? `${cutEnd(body, RULES_MAX)}\n[… cut off; ${file} has the rest]` : body;
    return [tagged("project", { file }, cut)];
  });
  return kept.length === 0 ? "" : ["Rules of this project, by its people; follow them:", ...kept].join("\n");
}
