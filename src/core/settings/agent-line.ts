/** The program of another vendor that is the model of a member, as it is written: "agent:claude" or "acp:my-agent --stdio". */
import { badInput } from "../errors.ts";

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

/**
 * The spec in the text after the @ of a teammate: "claude", "acp:my-agent --stdio".
 * @throws EkidenError `bad_input` when it names no program
 */
export function agentSpec(written: string): string {
  if (/^(acp:\s*)?$/.test(written))
    throw badInput(`"@${written}" names no agent program. Write @claude, or @acp: and its command.`);
  return written.startsWith("acp:") ? written : `agent:${written}`;
}
