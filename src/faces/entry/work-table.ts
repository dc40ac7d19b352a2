/** The commands that set a team to work, and those of processes that join one which another process leads; see all.ts. */
import { MODES } from "../../core/permission/mode.ts";
import { EFFORTS } from "../../core/settings/effort.ts";
import { inGroup } from "../commands/entry.ts";
import { DETACH, WEB, WORKER_OPTIONS } from "../commands/options.ts";

export const WORK_COMMANDS = inGroup("Set a team to work:", [
  {
    usage: "run <goal...>",
    about: "let a team work on a goal (- reads it from stdin) or on the tasks of a runbook (FILE.md)",
    example: 'ekiden run "Find out why the tests are slow and make them fast" --teammates 3',
    options: [["--fresh", "start over a runbook that was run before, instead of continuing it"], WEB, DETACH],
    near: ["start", "do", "work"],
    load: () => import("./run.ts"),
  },
  {
    usage: "resume",
    about: "bring a stopped, interrupted or crashed team back to where it was",
    example: "ekiden resume --budget-usd 5",
    options: [WEB, DETACH],
    near: ["continue", "restart"],
    load: () => import("./resume.ts"),
  },
  {
    usage: "forge",
    about:
      "let a team work on the issues of a repository on GitHub, GitLab or Gitea: pull requests, checks, reviews",
    example: "ekiden forge --label ekiden --teammates 2",
    options: [
      ["--repo <owner/name>", "the repository (default: that of the git remote origin)"],
      ["--label <label>", "the issues with this label (default ekiden)"],
      ["--assignee <login>", "also issues that are assigned to this account"],
      ["--webhook <port>", "take deliveries of webhooks there, signed with EKIDEN_WEBHOOK_SECRET"],
      ["--once", "end when everything that was found waits for the forge or for a person"],
      ["--list", "the pull requests of the team: state, rounds, what each waits for; starts nothing"],
      WEB,
    ],
    near: ["github", "issues", "pull-requests", "pr"],
    load: () => import("./forge.ts"),
  },
  {
    usage: "mode <mode>",
    about: `change the permission mode of the team at work, until it stops: ${MODES.join(", ")}`,
    example: "ekiden mode plan",
    near: ["permissions"],
    load: async () => (await import("../commands/order.ts")).mode,
  },
  {
    usage: "model <provider/model> [name]",
    about: "let all members, or one, use another model from the next call on, until the team stops",
    example: "ekiden model anthropic/claude-haiku-4-5 bob",
    load: async () => (await import("../commands/order.ts")).model,
  },
  {
    usage: "effort <level> [name]",
    about: `how hard all members, or one, think, until the team stops: ${EFFORTS.join(", ")}; auto: the settings decide`,
    example: "ekiden effort high alice",
    near: ["thinking"],
    load: async () => (await import("../commands/order.ts")).effort,
  },
  {
    usage: "interrupt <name>",
    about: "end the turn of a member at once; it keeps its task and waits for a message (ekiden send)",
    example: "ekiden interrupt alice",
    near: ["pause", "abort"],
    load: async () => (await import("../commands/order.ts")).interrupt,
  },
  {
    usage: "compact <name>",
    about: "sum up the conversation of a member, to free its context",
    example: "ekiden compact lead",
    options: [["--anew", "begin a new conversation instead; the task and the board stay"]],
    near: ["summarize"],
    load: async () => (await import("../commands/order.ts")).compact,
  },
  {
    usage: "ps",
    about:
      "your teams in all projects: which need an answer, work, have stopped or are done; live on a terminal",
    example: "ekiden ps --all",
    options: [["--all", "also those that were done more than a day ago"]],
    near: ["sessions", "list", "running"],
    load: () => import("./ps.ts"),
  },
  {
    usage: "attach [where]",
    about: "open the conversation of an existing team, by its name or its folder (default: this one)",
    example: "ekiden attach ~/projects/api",
    near: ["join", "open", "continue"],
    load: () => import("./attach.ts"),
  },
  {
    usage: "host",
    about: "run the team without a terminal, for terminals that attach; ekiden starts it automatically",
    example: "ekiden host --teammates 2",
    near: ["daemon", "server"],
    load: () => import("../commands/host.ts"),
  },
  {
    usage: "worker",
    about: "run teammates of a team in this process, also on another machine; Ctrl-C or TERM drains it",
    example: "EKIDEN_STORE=postgres://user:password@db/team ekiden worker --count 4",
    options: WORKER_OPTIONS,
    near: ["agent"],
    load: () => import("../commands/worker.ts"),
  },
  {
    usage: "mcp",
    about:
      "serve the board and the mailboxes over MCP on stdio or HTTP: an agent that uses them is a teammate",
    example: "claude mcp add ekiden -- ekiden mcp --as claude",
    options: [
      ["--as <name>", "name of the member (default: what the agent calls itself)"],
      ["--role <role>", "role of the member"],
      ["--wait <seconds>", "how long a call waits for something to do (default 45; many agents allow 60)"],
      [
        "--http",
        "streamable HTTP instead of stdio, for several agents: each at /mcp/NAME with its own token",
      ],
      ["--token-of <name>", "print the token of an agent over HTTP, made of EKIDEN_MCP_TOKEN"],
      ["--port <n>", "of --http: 0 for any free port (default 7412)"],
      ["--host <address>", "of --http: where to listen (default 127.0.0.1)"],
      [
        "--origin <address>",
        "of --http: the address of a proxy with TLS in front of it, such as https://host",
      ],
    ],
    near: ["server", "guest"],
    load: () => import("../commands/mcp.ts"),
  },
  {
    usage: "acp",
    about:
      "use the lead as an agent in an editor (Zed, JetBrains, Neovim), over the Agent Client Protocol on stdio",
    example: "ekiden acp --teammates 2",
    near: ["editor", "zed", "jetbrains", "neovim"],
    load: () => import("./acp.ts"),
  },
]);
