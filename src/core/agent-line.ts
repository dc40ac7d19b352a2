/** Which program of another vendor is the model of a member, as its model is written: "agent:claude" or "acp:my-agent --stdio". */

export type AgentLine = {
  readonly spec: string;
  /** The name of a preset; null for a command. */
  readonly preset: string | null;
  /** The program and its arguments; empty for a preset. */
  readonly command: readonly string[];
};

/** Null for a model of a provider. */
export function agentLine(spec: string): AgentLine | null {
  const [, kind, rest = ""] = /^(agent|acp):(.*)$/s.exec(spec) ?? [];
  if (kind === "agent") return { spec, preset: rest.trim(), command: [] };
  return kind === "acp" ? { spec, preset: null, command: rest.trim().split(/\s+/).filter(Boolean) } : null;
}

/** What stands behind the @ of a teammate: "claude", "acp:my-agent --stdio". */
export const agentSpec = (written: string): string =>
  written.startsWith("acp:") ? written : `agent:${written}`;
