/** The commands that set up Ekiden and a project, and keep its store small and safe; see table.ts. */
import { inGroup } from "./entry.ts";

export const SETUP_COMMANDS = inGroup("More:", [
  {
    usage: "doctor",
    about: "what is installed, which models answer (one word each), what is wrong and how to fix it",
    example: "ekiden doctor",
    near: ["check", "diagnose", "health"],
    load: () => import("./doctor.ts"),
  },
  {
    usage: "agents [name]",
    about: "agent programs of other vendors on this machine: version, login, what is missing",
    example: "ekiden agents codex",
    near: ["claude", "codex", "opencode", "gemini", "qwen"],
    load: () => import("./agents.ts"),
  },
  {
    usage: "trust",
    about: "agree to what this project brings: its hooks, MCP servers, rules, model, gate, store",
    example: "ekiden trust --list",
    options: [
      ["--list", "the folders that you agreed to, and what waits here; changes nothing"],
      ["--revoke", "take the word for this folder back"],
    ],
    load: () => import("./trust.ts"),
  },
  {
    usage: "init",
    about: "write a commented settings file",
    example: "ekiden init",
    options: [["--force", "overwrite one that exists"]],
    near: ["config", "settings"],
    load: () => import("./init.ts"),
  },
  {
    usage: "prune",
    about: "delete old facts, conversations, output files, images and gate records; never of unfinished work",
    example: "ekiden prune --days 90 --dry-run",
    options: [
      ["--days <n>", "keep what is younger than this (default 30)"],
      ["--teams", "also delete other teams that are finished and have been silent for so long"],
      ["--dry-run", "show what would be deleted, and delete nothing"],
    ],
    near: ["clean", "gc", "vacuum", "purge"],
    load: () => import("./prune.ts"),
  },
  {
    usage: "backup <file>",
    about: "copy the SQLite store to a file, also while teams work on it",
    example: "ekiden backup /backups/team.db",
    options: [["--force", "replace the file"]],
    near: ["dump", "snapshot"],
    load: () => import("./backup.ts"),
  },
  {
    usage: "completion <shell> [words...]",
    about: "completion of commands, options and their values for bash, zsh or fish",
    example: "source <(ekiden completion bash)",
    load: () => import("./completion.ts"),
  },
]);
