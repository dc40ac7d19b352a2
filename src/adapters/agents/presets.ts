/**
 * Agent programs of other vendors that speak the Agent Client Protocol, as data. Each brings its own login: Ekiden looks whether one
 * is there, and never reads it.
 */
import type { AGENT_NAMES } from "../../core/settings/agent-line.ts";
import { claude, codex } from "./dialects.ts";
import type { Dialect } from "./headless.ts";

export type Preset = {
  readonly name: (typeof AGENT_NAMES)[number];
  readonly title: string;
  /** The program and its arguments that make it speak the protocol over stdio. */
  readonly command: readonly [string, ...string[]];
  /** Its own model is one of the strongest: it takes the tasks that decide the end of the whole. */
  readonly isStrong?: boolean;
  /** The npm package that holds the program. */
  readonly package: string;
  /** The vendor's own program, where the one above is an adapter to it. */
  readonly adapts?: string;
  /** A variable with one of these names is a login. */
  readonly variables: readonly string[];
  /** The file that the program's own login writes: a variable that may name its folder, that folder otherwise, and the path in it. */
  readonly loginFile: { readonly variable: string; readonly folder: string; readonly path: string };
  /** Systems on which the login is kept elsewhere, where nobody can look without asking for it. */
  readonly hidden?: readonly NodeJS.Platform[];
  /** Further variables that it gets: addresses, and where its files are. */
  readonly settings: readonly string[];
  /** The protocol of the vendor's own program, which is used where the one above is not there. */
  readonly headless?: Dialect;
  /** The variables that are set for it. It may hold the folder for a trusted one: what was not agreed to is not there. */
  readonly sets?: Readonly<Record<string, string>>;
  /** The same inside our sandbox: a sandbox of its own cannot begin in there. */
  readonly setsConfined?: Readonly<Record<string, string>>;
  /** Only where the person has agreed to all that steers it: by these it trusts the folder. */
  readonly setsAgreed?: Readonly<Record<string, string>>;
  /** Its own words about its login: the arguments, and the patterns of an output that says that it is logged in, or that it is not. */
  readonly status?: { readonly args: readonly string[]; readonly isIn: RegExp; readonly isOut: RegExp };
  /** The way to log in. */
  readonly login: string;
};

export const PRESETS: readonly Preset[] = [
  {
    name: "claude",
    title: "Claude Code",
    command: ["claude-agent-acp"],
    isStrong: true,
    package: "@agentclientprotocol/claude-agent-acp",
    adapts: "claude",
    headless: claude,
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    loginFile: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", path: ".credentials.json" },
    hidden: ["darwin"],
    settings: ["ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CLAUDE_CONFIG_DIR", "IS_SANDBOX"],
    status: {
      args: ["auth", "status", "--json"],
      isIn: /"loggedIn"\s*:\s*true/,
      isOut: /"loggedIn"\s*:\s*false/,
    },
    login: "Run claude and log in there, or set ANTHROPIC_API_KEY.",
  },
  {
    name: "codex",
    title: "Codex",
    command: ["codex-acp"],
    isStrong: true,
    package: "@agentclientprotocol/codex-acp",
    adapts: "codex",
    headless: codex,
    variables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    loginFile: { variable: "CODEX_HOME", folder: ".codex", path: "auth.json" },
    settings: ["OPENAI_BASE_URL", "CODEX_HOME"],
    setsConfined: { INITIAL_AGENT_MODE: "agent-full-access" },
    status: {
      args: ["login", "status"],
      isIn: /^(?:Logged in|API key configured)/m,
      isOut: /^Not logged in/m,
    },
    login: "Run codex login, or set OPENAI_API_KEY.",
  },
  {
    name: "opencode",
    title: "opencode",
    command: ["opencode", "acp"],
    package: "opencode-ai",
    variables: ["OPENCODE_CONFIG_CONTENT", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
    loginFile: { variable: "XDG_DATA_HOME", folder: ".local/share", path: "opencode/auth.json" },
    settings: ["OPENCODE_CONFIG"],
    // By itself it asks nothing.
    sets: { OPENCODE_PERMISSION: '{"bash":"ask","edit":"ask","webfetch":"ask"}' },
    login: "Run opencode auth login.",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    command: ["gemini", "--acp"],
    package: "@google/gemini-cli",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    loginFile: { variable: "", folder: ".gemini", path: "oauth_creds.json" },
    settings: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"],
    setsAgreed: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    login: "Run gemini and log in there, or set GEMINI_API_KEY.",
  },
  {
    name: "qwen",
    title: "Qwen Code",
    command: ["qwen", "--acp"],
    package: "@qwen-code/qwen-code",
    variables: ["OPENAI_API_KEY"],
    loginFile: { variable: "", folder: ".qwen", path: "oauth_creds.json" },
    settings: ["OPENAI_BASE_URL", "OPENAI_MODEL"],
    login: "Run qwen and log in there, or set OPENAI_API_KEY.",
  },
];
