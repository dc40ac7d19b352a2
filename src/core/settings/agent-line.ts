/** The program of another vendor that is the model of a member, as it is written: "agent:claude" or "acp:my-agent --stdio". */
import { badInput } from "../errors.ts";

export type AgentLine = {
  readonly spec: string;
  /** The name of a preset; null for a command. */
  readonly preset: string | null;
  /** The program and its arguments; empty for a preset. */
  readonly command: readonly string[];
};

/** The programs that have a name here; the adapters describe them. */
export const AGENT_NAMES = ["claude", "codex", "opencode", "gemini", "qwen"] as const;

/**
 * The model that a person names for members: "claude", "@claude" and "@acp:my-agent --stdio" are agent programs, any other text is a
 * model of a provider. @throws EkidenError `bad_input` when it names no program
 */
export function modelSpec(written: string): string {
  const text = written.trim();
  const isAgent = text.startsWith("@") || (AGENT_NAMES as readonly string[]).includes(text);
  return isAgent ? agentSpec(text.replace(/^@/, "")) : text;
}

/** Null for a model of a provider. */
export function agentLine(spec: string): AgentLine | null {
  const [, kind, rest = ""] = /^(agent|acp):(.*)$/s.exec(spec) ?? [];
  if (kind === "agent") return { spec, preset: rest.trim(), command: [] };
  return kind === "acp" ? { spec, preset: null, command: wordsOf(rest) } : null;
}

/** As a shell splits it; a text whose quotes do not close is split at blanks. */
function wordsOf(text: string): string[] {
  const isClosed = /^(?:[^"']|"[^"]*"|'[^']*')*$/.test(text);
  const words = text.match(isClosed ? /(?:"[^"]*"|'[^']*'|[^\s"'])+/g : /\S+/g) ?? [];
  return isClosed ? words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2")) : words;
}

/** The command with its program as one word: the path of a file may hold blanks. */
export function withProgram(
  command: readonly string[],
  isFile: (path: string) => boolean,
): readonly string[] {
  if (!command[0]?.startsWith("/")) return command;
  for (let end = 1; end <= command.length; end += 1) {
    const path = command.slice(0, end).join(" ");
    if (isFile(path)) return [path, ...command.slice(end)];
  }
  return command;
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
