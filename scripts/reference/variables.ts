/** The environment variables that are not settings. The test of the reference finds those that the code uses and that are missing here. */
export type Variable = {
  readonly name: string;
  /** `read` by Ekiden, `given` to commands, `internal`: neither set nor read by people. */
  readonly use: "read" | "given" | "internal";
  readonly about: string;
};

export const OTHER_VARIABLES: readonly Variable[] = [
  { name: "ANTHROPIC_BASE_URL", use: "read", about: "Address of Anthropic's API, or of one like it." },
  {
    name: "OPENAI_BASE_URL",
    use: "read",
    about: "Address of OpenAI's API, or of one like it; a trailing `/v1` may be there or not.",
  },
  {
    name: "OPENAI_COMPATIBLE_BASE_URL",
    use: "read",
    about:
      "Address of the provider `openai-compatible`, if `--base-url` and the setting `baseUrl` are not given.",
  },
  {
    name: "OPENAI_COMPATIBLE_API_KEY",
    use: "read",
    about: "Key of the provider `openai-compatible`, if it wants one.",
  },
  { name: "OLLAMA_HOST", use: "read", about: "Address of Ollama (default 127.0.0.1:11434)." },
  {
    name: "HTTPS_PROXY",
    use: "read",
    about:
      "Proxy for https addresses of models and of `fetch_url`, such as http://NAME:PASSWORD@HOST:PORT. The spelling in lower case counts first.",
  },
  { name: "HTTP_PROXY", use: "read", about: "The same for http addresses; it must allow CONNECT." },
  {
    name: "NO_PROXY",
    use: "read",
    about:
      "Hosts that are asked directly, with everything below them: `example.org, 10.0.0.5:8080`, or `*`. This machine always is.",
  },
  {
    name: "AZURE_OPENAI_ENDPOINT",
    use: "read",
    about: "Address of the provider `azure`, such as https://NAME.openai.azure.com.",
  },
  { name: "AWS_REGION", use: "read", about: "Region of the provider `bedrock` (default us-east-1)." },
  { name: "AWS_DEFAULT_REGION", use: "read", about: "The same, if `AWS_REGION` is not set." },
  { name: "GOOGLE_VERTEX_PROJECT", use: "read", about: "Project of the provider `vertex`." },
  {
    name: "GOOGLE_VERTEX_LOCATION",
    use: "read",
    about: "Location of the provider `vertex` (default global).",
  },
  {
    name: "EKIDEN_BOARD",
    use: "internal",
    about: "Lets the agent program of a teammate reach the tools of its board.",
  },
  {
    name: "GIT_CEILING_DIRECTORIES",
    use: "given",
    about: "In a worktree: its folder of worktrees, above which git looks for no repository; then yours.",
  },
  {
    name: "EKIDEN_WEB_TOKEN",
    use: "read",
    about: "Token of the page. Unlike `--token`, it is not on a command line that everybody can read.",
  },
  {
    name: "EKIDEN_MCP_TOKEN",
    use: "read",
    about: "Token of `ekiden mcp --http`. Without it each start makes one and prints it.",
  },
  {
    name: "EKIDEN_DETACHED",
    use: "internal",
    about: "`1`: the person of this run is at another terminal.",
  },
  { name: "EKIDEN_COMMITS", use: "internal", about: "Commits whose files the sandbox compares." },
  {
    name: "EKIDEN_TRUST",
    use: "read",
    about: "`1`: use all that the project brings, without a question. For runs in CI.",
  },
  { name: "NO_COLOR", use: "read", about: "Any value: no colours." },
  {
    name: "FORCE_COLOR",
    use: "read",
    about: "Colours also where the output is not a terminal; `0` for none.",
  },
  { name: "TERM", use: "read", about: "`dumb`: no colours and no drawing." },
  {
    name: "HOME",
    use: "read",
    about: "Home folder: the user's settings, roles and skills are found from it.",
  },
  {
    name: "GITHUB_API_URL",
    use: "read",
    about: "Address of the REST interface that `ekiden forge` uses, where it is not that of the remote.",
  },
  {
    name: "GITEA_API_URL",
    use: "read",
    about: "Address of the REST interface of a Gitea or Forgejo whose host name does not say that it is one.",
  },
  {
    name: "GITLAB_API_URL",
    use: "read",
    about: "Address of the REST interface of a GitLab whose host name does not say that it is one.",
  },
  {
    name: "EKIDEN_WEBHOOK_SECRET",
    use: "read",
    about: "Secret of the webhook at the forge, with `forgeWebhook`. No command of a member gets it.",
  },
  { name: "GITHUB_GRAPHQL_URL", use: "read", about: "The same for GraphQL." },
  {
    name: "XDG_CONFIG_HOME",
    use: "read",
    about:
      "Folder of the user's settings and agreements, in `ekiden`, and of those of git (default ~/.config).",
  },
  {
    name: "VISUAL",
    use: "read",
    about: "Editor that Ctrl-G opens on the full screen, with its options.",
  },
  { name: "EDITOR", use: "read", about: "The same, if `VISUAL` is not set (default vi)." },
  { name: "WAYLAND_DISPLAY", use: "read", about: "Where it is set, Ctrl-V asks wl-paste for the clipboard." },
  { name: "DISPLAY", use: "read", about: "Where it is set, Ctrl-V asks xclip for the clipboard." },
  { name: "SHELL", use: "read", about: "Shell of `!command` in the conversation (default /bin/sh)." },
  { name: "PATH", use: "read", about: "Where commands are looked for." },
  { name: "EKIDEN_NOTICE", use: "given", about: "To the command of the setting `notify`: what has come." },
  {
    name: "EKIDEN_TASK",
    use: "given",
    about: "Number of the task that the command or `prCommand` works for.",
  },
  { name: "EKIDEN_ATTEMPT", use: "given", about: "Attempt at the task." },
  {
    name: "EKIDEN_IDEMPOTENCY_KEY",
    use: "given",
    about: "The same for each run of this command for this task, also after a crash.",
  },
  {
    name: "EKIDEN_MEMBER",
    use: "given",
    about: "Member that runs the command. `ekiden` in that command acts in its name.",
  },
  { name: "EKIDEN_HOOK", use: "internal", about: "Command of the hook that runs." },
  { name: "EKIDEN_PROJECT_DIR", use: "given", about: "Folder of the project, in the commands of hooks." },
  { name: "EKIDEN_ROOT", use: "given", about: "Folder of the project, for commands in a worktree." },
  { name: "EKIDEN_WORKTREE", use: "given", about: "Folder of the project in the worktree." },
  {
    name: "EKIDEN_PORT",
    use: "given",
    about: "First of ten ports that no other worktree on the machine has, for commands in a worktree.",
  },
  { name: "EKIDEN_PORT_0", use: "given", about: "The same port; `EKIDEN_PORT_1` to `EKIDEN_PORT_9` follow." },
  {
    name: "EKIDEN_DB",
    use: "given",
    about: "Name for a database that no other worktree has, for commands in a worktree.",
  },
  { name: "EKIDEN_BRANCH", use: "given", about: "Branch of the task, in `prCommand`." },
  { name: "EKIDEN_TARGET", use: "given", about: "Branch that the task is for, in `prCommand`." },
  { name: "EKIDEN_SUBJECT", use: "given", about: "Message of the commit, in `prCommand`." },
  { name: "EKIDEN_COMMIT", use: "given", about: "Commit of the branch, in `prCommand`." },
  { name: "EKIDEN_REMOTE", use: "given", about: "Git remote, in `prCommand`." },
  {
    name: "EKIDEN_JOB",
    use: "internal",
    about: "Marks the processes of a command, so that they end with it.",
  },
  { name: "EKIDEN_WARDEN", use: "internal", about: "Marks the process that watches over a command." },
  {
    name: "EKIDEN_SPARE",
    use: "internal",
    about: "Marks a confined shell that waits for its command, so that it ends with its process.",
  },
  { name: "EKIDEN_JOB_OUTPUT", use: "internal", about: "Marks background commands." },
  { name: "EKIDEN_HOOK_MARK", use: "internal", about: "Marks the processes of a hook." },
  { name: "EKIDEN_PROXY_TOKEN", use: "internal", about: "Token of the sandbox's proxy." },
];
