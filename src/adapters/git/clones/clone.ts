/**
 * Makes the workspace of a task: a clone, as `git clone --shared --no-checkout` makes it, that borrows the objects of the project and has
 * refs, configuration and hooks of its own. Its files are written here, where no command can write yet, and checked out by
 * confined git. It gets its name when it is whole.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../../core/paths/paths.ts";
import { tried } from "../../../core/tried.ts";
import { storesOf } from "../../git-stores.ts";
import { removeTree } from "../../remove-tree.ts";
import { bytesIn, namesIn, textIn } from "../../small-files.ts";
import { isTicketHeld, newTicket } from "../../tickets.ts";
import { type Git, messageOfGit } from "../git.ts";
import type { Repository } from "./preflight.ts";

export type Origin = Pick<Repository, "commonDir" | "gitDir" | "prefix"> & {
  readonly git: Git;
  readonly project: string;
  /** Ignored files and folders of the project that workspaces link to. */
  readonly share: readonly string[];
};

/** `folder`: where the workspaces are; `refs`: those of the project, `COMMIT NAME` a line. */
export type Making = {
  readonly folder: string;
  readonly root: string;
  readonly branch: string;
  readonly commit: string;
  readonly refs: readonly string[];
};

/** It has a repository of its own. */
export const isWhole = (root: string): boolean =>
  ["HEAD", "objects/info/alternates"].every((name) =>
    tried(() => lstatSync(join(root, ".git", name)).isFile(), false),
  );

/** A task that continued silently would be completed without its earlier work. */
export const lost = (id: number, branch: string, onto: string): string =>
  `The worktree of #${id} was removed before its work had landed, and with it all that was not committed. It has been made again on ${branch}, which builds on ${onto}. Do again what is missing there.`;

/** Returns why there is no workspace, null when there is one. What a command has written in its place is kept. */
export async function makeClone(origin: Origin, making: Making): Promise<string | null> {
  const { folder, root, branch } = making;
  if (isWhole(root)) return null;
  const draft = await draftOf(origin, making);
  try {
    const { inside } = origin.git;
    const done = await inside.try(draft, "checkout", "--quiet", branch);
    // Git calls its first checkout a success although it could not write a file. A failing hook (post-checkout) does not prevent it.
    const isDone = async (): Promise<boolean> =>
      existsSync(join(draft, ".git", "index")) && (await inside.try(draft, "diff", "--quiet")).code === 0;
    if ((done.code !== 0 || done.err !== "") && !(await isDone())) return messageOfGit(done);
    mkdirSync(dirname(root), { recursive: true });
    const aside = existsSync(root) ? join(mkdtempSync(join(folder, ".aside-")), "files") : null;
    if (aside) renameSync(root, aside);
    renameSync(draft, root);
    if (aside === null) return null;
    const filter = (path: string): boolean => path !== join(aside, ".git");
    cpSync(aside, root, { recursive: true, verbatimSymlinks: true, filter });
    removeTree(dirname(aside));
    return null;
  } finally {
    removeTree(draft);
  }
}

/** A folder with the `.git` of the clone and nothing else. */
export async function draftOf(
  origin: Origin,
  { folder, root, branch, commit, refs }: Making,
): Promise<string> {
  finishDrafts(folder);
  const draft = join(folder, draftName());
  try {
    await writeDraft(origin, draft, { folder, root, branch, commit, refs });
    return draft;
  } catch (error) {
    removeTree(draft);
    throw error;
  }
}

async function writeDraft(
  origin: Origin,
  draft: string,
  { root, branch, commit, refs }: Making,
): Promise<void> {
  const git = join(draft, ".git");
  for (const name of ["objects/info", "refs/tags", "hooks", "info", `refs/heads/${dirname(branch)}`])
    mkdirSync(join(git, name), { recursive: true });
  const others = refs.filter((line) => !line.endsWith(` refs/heads/${branch}`));
  const { commonDir, gitDir, prefix, share } = origin;
  const linked = share.map((path) => `/${prefix}${path}`);
  const files: Readonly<Record<string, string>> = {
    HEAD: `ref: refs/heads/${branch}\n`,
    config: await configOf(origin),
    "objects/info/alternates": linesOf(storesOf(join(commonDir, "objects"))),
    "packed-refs": linesOf(others),
    [`refs/heads/${branch}`]: `${commit}\n`,
    // A pattern such as "node_modules/" ignores a folder but not a link: nobody may commit that by mistake.
    "info/exclude": `${textIn(join(commonDir, "info/exclude")).trimEnd()}\n${linesOf(linked)}`,
    ...copied(commonDir, "info/attributes", "shallow"),
    ...copied(gitDir, "info/sparse-checkout"),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(git, name), text);
  writeFileSync(join(draft, ".git", PLACE), root);
}

const DRAFT = ".making-";
/** A folder of this name goes with its process at the latest. */
export const draftName = (): string => `${DRAFT}${newTicket()}`;
/** Names the workspace that a folder will be, for the process that finishes it after a crash. */
const PLACE = "ekiden-place";

/** Removes those of dead processes. One that was to take the place of an older form's `.git` takes it now. */
export function finishDrafts(folder: string): void {
  for (const name of namesIn(folder).filter((one) => one.startsWith(DRAFT))) {
    const draft = join(folder, name);
    if (isTicketHeld(name.slice(DRAFT.length), draft)) continue;
    const link = textIn(join(draft, LINK));
    const root = textIn(join(draft, ".git", PLACE));
    if (link !== "" && isWithin(folder, root) && existsSync(root) && !existsSync(join(root, ".git"))) {
      renameSync(join(draft, ".git"), join(root, ".git"));
      const notes = notesIn(link, root);
      if (notes !== null) removeTree(notes);
    }
    removeTree(draft);
  }
}
const LINK = "link";

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

const copied = (from: string, ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const bytes = bytesIn(join(from, name), FILE_MAX);
      return bytes === null ? [] : [[name, bytes.toString()]];
    }),
  );
const FILE_MAX = 64 * 1024 * 1024;

/**
 * The keys that say what commits of this project look like and where its remotes are. None of them names a program. A clone of a project
 * to whose git programs the person agreed has those, too.
 */
const TAKEN =
  /^(?:(?:user|author|committer)\.(?:name|email)|core\.(?:autocrlf|eol|safecrlf|ignorecase|precomposeunicode|filemode|symlinks|longpaths|quotepath|sparsecheckout|sparsecheckoutcone|bigfilethreshold)|extensions\.objectformat|i18n\..*|remote\..*\.(?:url|pushurl|fetch)|branch\..*|submodule\..*\.(?:url|active)|(?:merge|diff)\.(?:conflictstyle|renames|renamelimit|algorithm)|index\.sparse)$/i;
const AGREED = /^(?:filter\..*|merge\..*|core\.hookspath)$/i;

async function configOf({ git, project }: Origin): Promise<string> {
  const own = (await git.entries(project)).filter(({ isOwn, key }) => isOwn && TAKEN.test(key));
  const agreed = (await git.agreed(project)).flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at);
    return AGREED.test(key) ? [[key, pair.slice(at + 1)]] : [];
  });
  const version = own.some(({ key }) => /^extensions\./i.test(key)) ? 1 : 0;
  const pairs: (readonly [string, string])[] = [
    ["core.repositoryformatversion", String(version)],
    ["core.bare", "false"],
    ["core.logallrefupdates", "true"],
    ...own.map(({ key, value }) => [key, /url$/i.test(key) ? withoutLogin(value) : value] as const),
    ...agreed,
  ];
  return pairs.map(([key, value]) => lineOf(key, value)).join("");
}

/** A member reads the configuration of its clone. The name of a user of ssh stays. */
const withoutLogin = (url: string): string =>
  url.replace(/^(https?|ftps?):\/\/[^/@]*@/i, "$1://").replace(/^([\w+.-]+:\/\/[^/@:]*):[^/@]*@/, "$1@");

function lineOf(key: string, value: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const sub = key.slice(first + 1, Math.max(first + 1, last)).replace(/["\\]/g, "\\$&");
  const quoted = value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `[${key.slice(0, first)}${sub === "" ? "" : ` "${sub}"`}]\n\t${key.slice(last + 1)} = "${quoted}"\n`;
}

/** A worktree as earlier versions made it: its `.git` names notes in the repository of the project, which name it. Null for another. */
export function notesOf(root: string, commonDir: string): string | null {
  const notes = notesIn(textIn(join(root, ".git")), root);
  return notes !== null && dirname(notes) === join(commonDir, "worktrees") ? notes : null;
}

function notesIn(link: string, root: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(link)?.[1];
  if (named === undefined) return null;
  const notes = resolve(root, named);
  const isOurs = basename(dirname(notes)) === "worktrees" && existsSync(join(notes, "HEAD"));
  return isOurs && resolve(notes, textIn(join(notes, "gitdir")).trim()) === join(root, ".git") ? notes : null;
}

/** Files that tie a worktree to its repository, and the refs of its own. */
const TIES = ["commondir", "gitdir", "locked", "config.worktree", "ekiden-refs", "ekiden-logs"];

/** It becomes a clone: its files stay, and what git notes about them (index, HEAD, log, stash, an operation under way) moves. */
export async function takeOver(origin: Origin, making: Making, notes: string): Promise<void> {
  const draft = await draftOf(origin, making);
  const [own, git] = [join(making.root, ".git"), join(draft, ".git")];
  const copy = (from: string, to: string): void => {
    if (existsSync(from)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  };
  for (const name of readdirSync(notes)) if (!TIES.includes(name)) copy(join(notes, name), join(git, name));
  copy(join(notes, "ekiden-refs"), join(git, "refs"));
  copy(join(notes, "ekiden-logs"), join(git, "logs", "refs"));
  renameSync(own, join(draft, LINK));
  renameSync(git, own);
  removeTree(notes);
  rmSync(draft, { recursive: true, force: true });
}

/** Made by a git that was ended: nobody has worked in it. */
export const isHalfMade = (notes: string): boolean =>
  textIn(join(notes, "locked")).search(/initializing|added with --lock/) === 0;
