/**
 * The one list of files and folders that decide what runs later: git's and ours, settings of editors, shells, package managers and
 * agents. The judge asks about writing them at any depth, a landing
 * refuses changes of them at any depth; the sandbox makes those at the top of a workspace read-only.
 */
export const PROTECTED_NAMES: readonly string[] = [
  ".git .gitmodules .gitconfig .ekiden .husky .mcp.json .claude .agents .codex .cursor .gemini .windsurf .vscode .idea .devcontainer",
  ".envrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc .login .cshrc .tcshrc .kshrc",
  ".npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs .cargo .mvn .bazelrc .pypirc .netrc .ssh .gnupg",
  ".vimrc .exrc .nvimrc .gdbinit .lldbinit .pdbrc .pre-commit-config.yaml .lefthook.yml .zed .fleet .nvim.lua .helix .dir-locals.el",
  "lefthook-local.yml lefthook-local.yaml .lefthook-local.yml .lefthook-local.yaml lefthook.toml lefthook.json",
  "mise.local.toml .mise.local.toml .devcontainer.json .dir-locals-2.el .lvimrc .rvmrc .autoenv .autoenv.zsh",
  ".Rprofile .irbrc .pryrc .byebugrc .ghci .ocamlinit",
  "crush.json .crush.json .crush .kilocode .amazonq .qwen .junie .trae .augment .zencoder .amp .goose .goosehints .copilot",
  "Jenkinsfile .travis.yml .drone.yml .woodpecker.yml .woodpecker .forgejo .gitea",
  ".lefthook.yaml lefthook.yml lefthook.yaml mise.toml .mise.toml .mise opencode.json opencode.jsonc .opencode .aider.conf.yml .continue .roo .kiro .factory",
  "AGENTS.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md .cursorrules .windsurfrules .clinerules",
  "rust-toolchain rust-toolchain.toml bunfig.toml .bazeliskrc .clangd .ripgreprc",
  ".gitlab-ci.yml .circleci .buildkite azure-pipelines.yml bitbucket-pipelines.yml",
].flatMap((names) => names.split(" "));

/** Settings of an editor under any name. */
export const PROTECTED_ENDS = /\.code-workspace$/i;

/** Installing packages and committing write these, so commands may write them: only parts of them are protected. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  // The sandbox treats a repository by itself: see GUARDED_GIT_PATHS.
  ".git": [],
  ".yarn": ["releases", "plugins"],
  ".pnp.cjs": [],
  ".pnp.loader.mjs": [],
};

/** Parts of folders that are not protected as a whole: writing them with a file tool is asked about as for any file. */
const FURTHER_PARTS = [
  ".github/workflows",
  ".github/actions",
  ".hg/hgrc",
  ".jj/repo/config.toml",
  ".config/lefthook.yml",
  ".config/mise",
  ".config/mise.toml",
  "mise/config.toml",
  "gradle/wrapper/gradle-wrapper.properties",
];

/** The one of these that a path is, or is in; the path is relative to the same folder. Some file systems fold case. */
export const readOnlyName = (path: string): string | undefined =>
  READ_ONLY_IN_SANDBOX.find((name) => `${path.toLowerCase()}/`.startsWith(`${name.toLowerCase()}/`)) ??
  path.split("/").find((part) => PROTECTED_ENDS.test(part));

/** Relative to a writable folder. */
export const READ_ONLY_IN_SANDBOX: readonly string[] = [
  ...PROTECTED_NAMES.flatMap((name) =>
    Object.hasOwn(PARTS, name) ? (PARTS[name] ?? []).map((part) => `${name}/${part}`) : [name],
  ),
  ...FURTHER_PARTS,
];
