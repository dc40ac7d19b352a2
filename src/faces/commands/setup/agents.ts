/** `ekiden agents`: which agent programs of other vendors this machine has, and what each of them still needs. */
import { type AgentProgram, agentPrograms, otherProgram } from "../../../adapters/agents/look.ts";
import { badInput } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import type { Cell, View } from "../../../core/views/view.ts";
import type { Invocation } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

const OTHER = "acp:";

export const run: Run = async (call, [wanted]) => {
  await call.show({ agents: await chosen(call, wanted) }, ({ agents }) => views(agents));
};

async function chosen({ cwd, env }: Invocation, wanted: string | undefined): Promise<AgentProgram[]> {
  const where = { folder: cwd, env };
  const line = wanted?.startsWith(OTHER) ? wanted.slice(OTHER.length).trim() : "";
  if (line !== "") return [otherProgram(line, where)];
  const all = await agentPrograms(where);
  const found = all.filter(({ name }) => wanted === undefined || name === wanted);
  if (found.length > 0) return found;
  const names = all.map(({ name }) => name).join(", ");
  throw badInput(`there is no agent ${quote(wanted ?? "")}. Use ${names}, or acp:COMMAND.`);
}

/** What is missing stands below the table, because a remedy that is cut off is none. */
function views(agents: readonly AgentProgram[]): View[] {
  const rows = agents.map((agent): Cell[] => {
    const isHere = agent.path !== null;
    return [
      { text: agent.name, tone: isHere ? "strong" : "dim" },
      { text: isHere ? (agent.version ?? "installed") : "not installed", tone: isHere ? "good" : "dim" },
      { text: agent.login ?? "–", tone: agent.login === null ? "dim" : "plain" },
      { text: agent.missing.length > 0 ? "no" : "yes", tone: agent.missing.length > 0 ? "plain" : "good" },
    ];
  });
  const columns = [{ name: "agent" }, { name: "version" }, { name: "login" }, { name: "ready" }];
  const lines = agents
    .filter(({ missing }) => missing.length > 0)
    .map(({ name, missing }) => ({ at: null, who: name, text: missing.join("\n"), tone: "plain" as const }));
  const table: View = { kind: "table", columns, rows, empty: "" };
  return lines.length === 0 ? [table] : [table, { kind: "feed", lines, empty: "" }];
}
