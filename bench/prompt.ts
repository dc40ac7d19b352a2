/** (g) What the first request of the lead and of a teammate weighs before anybody has said anything: system prompt and tools. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopback } from "./loopback.ts";
import type { Item } from "./measure.ts";
import { figure } from "./measure.ts";
import { BUILT, freshFolder, runNode } from "./stage.ts";

type Body = { readonly system?: unknown; readonly tools?: readonly { name: string }[] };

const BUDGETS = { lead: 2_000, teammate: 1_400 };

export const prompt: Item = async () => {
  const runbook = join(freshFolder(), "one-task.md");
  writeFileSync(runbook, "# Capture a request\n\n## Answer\n\nSay hello.\n");
  const first = new Map<"lead" | "teammate", Body>();
  const server = await loopback((_, text) => {
    const body = JSON.parse(text) as Body;
    const who = JSON.stringify(body.system).includes("a teammate in team") ? "teammate" : "lead";
    const seen = first.has(who);
    if (!seen) first.set(who, body);
    return who === "teammate" && !seen
      ? { tool: "complete_task", input: { result: "hello" } }
      : { text: "Done." };
  });
  try {
    await runNode(
      [BUILT, "run", runbook, "--model", "anthropic/loopback", "--teammates", "1", "--quiet"],
      server.env,
    );
  } finally {
    await server.close();
  }
  return (["teammate", "lead"] as const).map((who) => {
    const body = first.get(who);
    if (!body) throw new Error(`no request of the ${who} was seen`);
    const system = JSON.stringify(body.system ?? "").length;
    const tools = JSON.stringify(body.tools ?? []).length;
    return figure({
      item: "g",
      name: `first request of the ${who}, estimated tokens`,
      unit: "tokens",
      value: (system + tools) / 4,
      budget: { of: "value", atMost: BUDGETS[who] },
      note: `${system + tools} bytes: system ${system}, ${body.tools?.length ?? 0} tools ${tools}`,
    });
  });
};
