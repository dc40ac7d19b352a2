/**
 * Files that make an agent program of another vendor run programs, connect servers or send its login elsewhere. Read from the programs
 * as they came from npm on 2026-11-28 (claude 2.1.197, codex 0.171.0, opencode 1.18.33, gemini 0.61.0, qwen 0.15.10) and their documentation.
 */
import type { AGENT_NAMES } from "../settings/agent-line.ts";

export type AgentFiles = {
  /** In the folder that it works in, and in those above it. Whole folders, as each version reads more of them. */
  readonly project: readonly string[];
  /**
   * The folders below the home folder that it writes for itself, its login among them, each with the names in it that make it run something
   * when the person starts it, without a sandbox. With a slash: a folder. The first is the one that its own variable moves.
   */
  readonly own: Readonly<Record<string, readonly string[]>>;
};

const words = (text: string): string[] => text.split(" ");
const MOST = "agents/ commands/ skills/ hooks/ plugins/";
const GEMINI = "settings.json .env trustedFolders.json system.md extensions/ policies/ tmp/bin/";

export const AGENT_FILES: Readonly<Record<(typeof AGENT_NAMES)[number], AgentFiles>> = {
  // code.claude.com/docs/en/settings: settings, hooks, plugins, agents with servers, skills with commands; code.claude.com/docs/en/mcp
  claude: {
    project: words(".claude .mcp.json"),
    own: {
      ".claude": words(
        `settings.json settings.local.json .claude.json .config.json remote-settings.json CLAUDE.md rules/ output-styles/ workflows/ local/ bin/ ${MOST}`,
      ),
    },
  },
  // developers.openai.com/codex/config-reference: config.toml, hooks.json, rules of commands, plugins; .env beside them is read, too
  codex: {
    project: words(".codex .agents"),
    own: {
      ".codex": words(
        `config.toml hooks.json .env managed_config.toml requirements.toml AGENTS.md AGENTS.override.md rules/ prompts/ packages/ bin/ ${MOST}`,
      ),
    },
  },
  // opencode.ai/docs/config, /docs/plugins: plugins and tools are code; language servers and packages of plugins lie in its other folders
  opencode: {
    project: words("opencode.json opencode.jsonc .opencode"),
    own: {
      ".local/share/opencode": words("bin/"),
      ".local/state/opencode": [],
      ".config/opencode": words(
        `opencode.json opencode.jsonc config.json tui.json AGENTS.md package.json node_modules plugin/ tool/ tools/ agent/ command/ mode/ modes/ skill/ ${MOST}`,
      ),
    },
  },
  // geminicli.com/docs/reference/configuration: servers, hooks, tools.discoveryCommand; .env may name another address for the login
  gemini: {
    project: words(".gemini .agents .env"),
    own: {
      ".gemini": words(`GEMINI.md mcp-server-enablement.json extension_integrity.json ${GEMINI} ${MOST}`),
    },
  },
  // qwenlm.github.io/qwen-code-docs/en/users/configuration/settings: as Gemini CLI, of which it was made
  qwen: {
    project: words(".qwen .agents .env"),
    own: { ".qwen": words(`QWEN.md output-language.md bin/ ${GEMINI} ${MOST}`) },
  },
};

/** What a program reads in a project. One that has no name here may be any of them. */
export const steeringFiles = (preset: string | null): readonly string[] => {
  const known = Object.entries(AGENT_FILES).filter(([name]) => preset === null || name === preset);
  return [...new Set(known.flatMap(([, { project }]) => project))];
};
/** The content that makes nothing run, for one that is not there yet; null: the program might take an empty file for something. */
export const emptyOf = (name: string): string | null =>
  name === "settings.json" || name === "opencode.json"
    ? "{}\n"
    : name === "config.toml" || name === ".env"
      ? ""
      : null;
