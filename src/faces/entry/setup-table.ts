/** The commands that set up Ekiden and a project, and keep its store small and safe; see all.ts. */
import { type Entry, inGroup } from "../commands/entry.ts";

const TEAM = inGroup("The team:", [
  {
    usage: "top",
    about: "a full-screen view of team, board and feed, whichever process runs the team; changes nothing",
    example: "ekiden top --team backend",
    near: ["watch", "monitor", "htop", "live"],
    load: () => import("./top.ts"),
  },
  {
    usage: "web",
    about: "a page in the browser for all teams of the store: start, watch, steer, replay",
    example: "ekiden web --port 8080",
    options: [
      ["--port <n>", "0 for any free port (default 7411, or any free port if that is taken)"],
      ["--host <address>", "where to listen (default 127.0.0.1); others need a --token"],
      [
        "--token <text>",
        "token that the address must have, at least 16 characters (default: one for this project)",
      ],
      ["--origin <address>", "where browsers find the page behind a proxy, such as https://host/base"],
      ["--read-only", "view only: nothing can be changed"],
      ["--export <file>", "write the team's run as one HTML file that replays without a server"],
    ],
    near: ["page", "serve", "dashboard", "ui", "gui", "open"],
    load: () => import("./web.ts"),
  },
  {
    usage: "teams [action] [name]",
    about: "the teams of the store; create or delete one",
    example: "ekiden teams delete old-team",
    options: [["--force", "delete it with unfinished work and members that have not stopped"]],
    load: () => import("../commands/setup/teams.ts"),
  },
]);

const MORE = inGroup("More:", [
  {
    usage: "import <path>",
    about:
      "read a board, a team and mailboxes from files (.tasks, .team, .mailboxes, a task folder, our own JSON)",
    example: "ekiden import ./old-project",
    options: [
      ["--dry-run", "show what would be imported, and write nothing"],
      ["--again", "import it even if it was imported before"],
    ],
    load: () => import("../commands/setup/import.ts"),
  },
  {
    usage: "export <dir>",
    about: "write the team as files, in the same layouts and in full as JSON",
    example: "ekiden export ./backup",
    options: [
      ["--force", "replace an earlier export"],
      ["--follow", "write the files again at each change of the board, without ekiden.json, until Ctrl-C"],
    ],
    near: ["backup", "dump", "save", "sync", "mirror", "watch"],
    load: () => import("../commands/setup/export.ts"),
  },
  {
    usage: "doctor",
    about: "what is installed, which models answer (one word each), what is wrong and how to fix it",
    example: "ekiden doctor",
    options: [
      [
        "--gate",
        "put small faults into recently landed lines, and count those that the gate does not notice",
      ],
      ["--forge", "the token for the forge of the project, and what it may do there"],
      ["--faults <n>", "with --gate: how many, at most (default 60)"],
      ["--dismiss <id>", "a fault that changes nothing: it is no longer counted", "repeat"],
    ],
    near: ["check", "diagnose", "health"],
    load: () => import("./doctor.ts"),
  },
  {
    usage: "agents [name]",
    about: "agent programs of other vendors on this machine: version, login, what is missing",
    example: "ekiden agents codex",
    near: ["claude", "codex", "opencode", "gemini", "qwen"],
    load: () => import("../commands/setup/agents.ts"),
  },
  {
    usage: "trust",
    about: "agree to what this project brings: its hooks, MCP servers, rules, model, gate, store",
    example: "ekiden trust --list",
    options: [
      ["--list", "the folders that you agreed to, and what waits here; changes nothing"],
      ["--revoke", "withdraw your agreement for this folder"],
    ],
    load: () => import("../commands/setup/trust.ts"),
  },
  {
    usage: "init",
    about: "write a commented settings file",
    example: "ekiden init",
    options: [["--force", "overwrite one that exists"]],
    near: ["config", "settings"],
    load: () => import("../commands/setup/init.ts"),
  },
  {
    usage: "prune",
    about: "delete old facts, conversations, output files, images and gate records; never of unfinished work",
    example: "ekiden prune --days 90 --dry-run",
    options: [
      ["--days <n>", "keep what is younger than this (default 30)"],
      ["--teams", "also delete other teams that are finished and have been silent for that long"],
      ["--dry-run", "show what would be deleted, and delete nothing"],
    ],
    near: ["clean", "gc", "vacuum", "purge"],
    load: () => import("../commands/setup/prune.ts"),
  },
  {
    usage: "backup <file>",
    about: "copy the SQLite store to a file, even while teams use it",
    example: "ekiden backup /backups/team.db",
    options: [["--force", "replace the file"]],
    near: ["dump", "snapshot"],
    load: () => import("../commands/setup/backup.ts"),
  },
  {
    usage: "completion <shell> [words...]",
    about: "completion of commands, options and their values for bash, zsh or fish",
    example: "source <(ekiden completion bash)",
    load: () => import("./completion.ts"),
  },
]);

export const SETUP_COMMANDS: readonly Entry[] = [...TEAM, ...MORE];
