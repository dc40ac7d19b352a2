/**
 * The git repository of the records, `.ekiden/undo`: it borrows the objects of the project, so the repository of the person never grows, and
 * to remove the folder removes all records. Git reads the configuration of this folder alone, and it names no program: filters, hooks and
 * attributes of the project have no effect, so contents are kept to the byte. All of git runs in the sandbox, where one holds.
 */
import { existsSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { notPermitted, toolFailed } from "../../../core/errors.ts";
import type { Sandbox } from "../../../ports/shell.ts";
import { storesOf } from "../../git-stores.ts";
import { makeFolder } from "../../make-folder.ts";
import { outsideFolders } from "../../outside-programs.ts";
import { textIn } from "../../small-files.ts";
import { newTicket } from "../../tickets.ts";
import { runInGroup } from "../run.ts";
import { ownVariables } from "../variables.ts";

const CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	fileMode = true
	symlinks = true
	protectHFS = false
	protectNTFS = false
	fsmonitor = false
	hooksPath = /dev/null
	logAllRefUpdates = false
	bigFileThreshold = 1g
	fsync = none
[gc]
	auto = 0
[maintenance]
	auto = false
`;
/** Before all attributes of the work tree: no content is converted, and no program is started. */
const ATTRIBUTES = "* -text -crlf -eol -filter -ident -working-tree-encoding\n";
const EXCLUDES_MAX = 65_536;
const TIMEOUT_MS = 120_000;

export type Run = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** "latin1": each character is a byte. */
  readonly input?: string;
  readonly encoding?: "latin1";
  /** Exit codes that are no fault. */
  readonly codes?: readonly number[];
};

export class OwnRepository {
  readonly folder: string;
  readonly project: string;
  private readonly sandbox: Pick<Sandbox, "confine"> | null;
  private readonly env: Readonly<Record<string, string>>;
  private isReady = false;

  /** `env`: without secrets. `sandbox`: null where none holds. */
  constructor(
    project: string,
    sandbox: Pick<Sandbox, "confine"> | null,
    env: Readonly<Record<string, string>>,
  ) {
    this.project = project;
    this.folder = join(project, ".ekiden", "undo");
    this.sandbox = sandbox;
    this.env = env;
  }

  get isThere(): boolean {
    return existsSync(join(this.folder, "HEAD"));
  }

  /** The folder of objects of the project; null without a repository. */
  get borrows(): string | null {
    const git = gitFolderOf(this.project);
    return git === null ? null : join(git, "objects");
  }

  /** @throws EkidenError `not_permitted` where a link is in its place */
  make(): void {
    if (this.isReady) return;
    for (const part of [
      "",
      "objects",
      "objects/info",
      "objects/pack",
      "refs",
      "info",
      "looks",
      "drafts",
      "running",
    ]) {
      const path = join(this.folder, part);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found && !found.isDirectory())
        throw notPermitted(`${path} is not a folder, and Ekiden stores what undo needs there. Remove it.`);
      makeFolder(path, 0o700);
    }
    // A project may have brought them: with them git would read another configuration.
    for (const name of ["commondir", "config.worktree"]) rmSync(join(this.folder, name), { force: true });
    this.write(".gitignore", "*\n");
    this.write("info/attributes", ATTRIBUTES);
    this.write("info/exclude", `.ekiden/\n${excludesOf(this.project)}`);
    this.write("objects/info/alternates", borrowed(this.borrows));
    this.write("config", CONFIG);
    this.write("HEAD", "ref: refs/heads/none\n"); // the last: with it the folder is a repository
    this.isReady = true;
  }

  /** Replaced as a whole: another process may read it. */
  private write(name: string, text: string): void {
    const path = join(this.folder, name);
    if (textIn(path) === text && existsSync(path)) return;
    const draft = `${path}.${newTicket()}`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  }

  /** Git with these arguments; its output. @throws EkidenError `tool_failed` */
  git(args: readonly string[], how: Run = {}): Promise<string> {
    return this.run("git", args, how).then(({ out }) => out);
  }

  /** A line of the shell that starts git: one sandbox for several processes of it. */
  shell(script: string, args: readonly string[], how: Run = {}): Promise<string> {
    return this.run("/bin/sh", ["-c", script, "sh", ...args], how).then(({ out }) => out);
  }

  async run(
    file: string,
    args: readonly string[],
    { cwd = this.project, env = {}, input, encoding, codes = [0] }: Run = {},
  ): Promise<{ readonly out: string; readonly code: number }> {
    this.make();
    const own = {
      ...ownVariables(this.env),
      GIT_DIR: this.folder,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
      PATH: outsideFolders(this.env.PATH, cwd).join(delimiter),
      ...env,
    };
    const plain = { file, args, cwd, env: own };
    const wanted = { isLanding: true, readOnly: "workspace", network: "off" } as const;
    const confined = (await this.sandbox?.confine(plain, { ...wanted, writable: [this.folder] })) ?? null;
    try {
      const { descriptors = [] } = confined ?? {};
      const how = { timeoutMs: TIMEOUT_MS, input, encoding, descriptors };
      const { code, out, err } = await runInGroup(confined ?? plain, how);
      if (code !== null && codes.includes(code)) return { out, code };
      throw toolFailed(`${file} ${args[0] ?? ""} failed in ${this.folder}: ${err.trim() || `code ${code}`}`);
    } finally {
      confined?.done();
      await confined?.ended();
    }
  }
}

/** The folder around a root in which git would look for `.gitignore` files: that with `.git`, or the root itself. */
export function topOf(root: string): string {
  for (let at = root; ; at = dirname(at)) {
    if (lstatSync(join(at, ".git"), { throwIfNoEntry: false })) return at;
    if (dirname(at) === at) return root;
  }
}

/** Read as data: git of the project does not run. null without a repository. */
function gitFolderOf(project: string): string | null {
  const at = join(topOf(project), ".git");
  const found = lstatSync(at, { throwIfNoEntry: false });
  if (!found) return null;
  if (found.isDirectory()) return at;
  const named = /^gitdir: (.+)$/m.exec(textIn(at))?.[1];
  if (named === undefined) return null;
  const folder = resolve(dirname(at), named);
  const common = textIn(join(folder, "commondir")).trim();
  return common === "" ? folder : resolve(folder, common);
}

const borrowed = (objects: string | null): string =>
  (objects === null ? [] : storesOf(objects)).map((one) => `${one}\n`).join("");

function excludesOf(project: string): string {
  const git = gitFolderOf(project);
  const text = git === null ? "" : textIn(join(git, "info", "exclude"));
  return text.length > EXCLUDES_MAX ? "" : text;
}
