/** The commands of processes that join a team which another process leads; see table.ts. */
import { type Entry, GROUPS } from "./entry.ts";
import { WORKER_OPTIONS } from "./options.ts";

const WORK = GROUPS[0];

export const JOIN_COMMANDS: readonly Entry[] = [
  {
    usage: "ps",
    about: "your teams in all projects: which need an answer, work, have stopped or are done",
    example: "ekiden ps --all",
    group: WORK,
    options: [["--all", "also those that were done more than a day ago"]],
    near: ["sessions", "list", "running"],
    load: () => import("./ps.ts"),
  },
  {
    usage: "attach [where]",
    about: "the conversation of a team that is there, by its name or its folder (default: this one)",
    example: "ekiden attach ~/projects/api",
    group: WORK,
    near: ["join", "open", "continue"],
    load: () => import("./attach.ts"),
  },
  {
    usage: "host",
    about: "run the team without a terminal, for terminals that attach; ekiden starts it by itself",
    example: "ekiden host --teammates 2",
    group: WORK,
    near: ["daemon", "server"],
    load: () => import("./host.ts"),
  },
  {
    usage: "worker",
    about: "run teammates of a team in this process, also on another machine; Ctrl-C or TERM drains it",
    example: "EKIDEN_STORE=postgres://user:password@db/team ekiden worker --count 4",
    group: WORK,
    options: WORKER_OPTIONS,
    near: ["agent"],
    load: () => import("./worker.ts"),
  },
  {
    usage: "mcp",
    about:
      "serve the board and the mailboxes over MCP on stdio or HTTP: an agent that uses them is a teammate",
    example: "claude mcp add ekiden -- ekiden mcp --as claude",
    group: WORK,
    options: [
      ["--as <name>", "name of the member (default: what the agent calls itself)"],
      ["--role <role>", "role of the member"],
      ["--wait <seconds>", "how long a call waits for something to do (default 45; many agents allow 60)"],
      [
        "--http",
        "streamable HTTP instead of stdio, for several agents: each at /mcp/NAME, with EKIDEN_MCP_TOKEN",
      ],
      ["--port <n>", "of --http: 0 for any free one (default 7412)"],
      ["--host <address>", "of --http: where to listen (default 127.0.0.1)"],
      [
        "--origin <address>",
        "of --http: the address of a proxy with TLS in front of it, such as https://host",
      ],
    ],
    near: ["server", "guest"],
    load: () => import("./mcp.ts"),
  },
  {
    usage: "acp",
    about:
      "the lead as an agent of an editor (Zed, JetBrains, Neovim), over the Agent Client Protocol on stdio",
    example: "ekiden acp --teammates 2",
    group: WORK,
    near: ["editor", "zed", "jetbrains", "neovim"],
    load: () => import("./acp.ts"),
  },
];
