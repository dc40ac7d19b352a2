/**
 * The one list of files and folders that decide what runs later: git's and ours, settings of editors, shells, package managers and
 * agents. The judge asks about writing them at any depth; the sandbox makes those at the top of a workspace read-only.
 */
export const PROTECTED_NAMES: readonly string[] = [
  ".git .gitmodules .gitconfig .ekiden .husky .mcp.json .claude .agents .codex .cursor .gemini .windsurf .vscode .idea .devcontainer",
  ".envrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc .login .cshrc .tcshrc .kshrc",
  ".npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs .cargo .mvn .bazelrc .pypirc .netrc .ssh .gnupg",
  ".vimrc .exrc .nvimrc .gdbinit .lldbinit .pdbrc .pre-commit-config.yaml .lefthook.yml",
].flatMap((names) => names.split(" "));

/** What installing packages or committing writes stays writable for commands: of these, only parts are protected. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  // The sandbox treats a repository by itself: see GUARDED_GIT_PATHS.
  ".git": [],
  ".yarn": ["releases", "plugins"],
  ".pnp.cjs": [],
  ".pnp.loader.mjs": [],
};

/** Relative to a writable folder. */
export const READ_ONLY_IN_SANDBOX: readonly string[] = PROTECTED_NAMES.flatMap((name) =>
  Object.hasOwn(PARTS, name) ? (PARTS[name] ?? []).map((part) => `${name}/${part}`) : [name],
);
