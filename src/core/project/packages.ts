/** Which ignored files of a project are what a package manager made of a lock file, so that they are right wherever the lock file is the same. */

export type Packages = {
  /** Any of them in the project. */
  readonly locks: readonly string[];
  /** The last parts of paths that are copied. */
  readonly made: readonly string[];
  /** Files in it that may hold the path of the project, as patterns of the shell below it. It is replaced by that of the worktree. */
  readonly placed?: readonly string[];
};

export const PACKAGES: readonly Packages[] = [
  {
    locks: [
      "package-lock.json",
      "npm-shrinkwrap.json",
      "pnpm-lock.yaml",
      "yarn.lock",
      "bun.lock",
      "bun.lockb",
    ],
    made: ["node_modules"],
    placed: [".bin/*", ".pnpm/*/node_modules/.bin/*", ".modules.yaml", ".pnpm-workspace-state*.json"],
  },
  { locks: ["yarn.lock"], made: [".yarn/cache", ".yarn/unplugged", ".pnp.cjs", ".pnp.loader.mjs"] },
  {
    locks: ["uv.lock", "poetry.lock", "pdm.lock"],
    made: [".venv"],
    placed: [
      "bin/*",
      "pyvenv.cfg",
      ...["*.pth", "__editable__*", "*/direct_url.json"].map((one) => `lib/python*/site-packages/${one}`),
    ],
  },
  { locks: ["Cargo.lock"], made: ["target"] },
  { locks: ["go.sum", "composer.lock"], made: ["vendor"] },
];
