/**
 * Records what calls change. A file tool names its files, so they are read before and after it. For a command the folder is looked at before
 * and after it; the look after it runs while the model thinks, but for commands that are known to remove or replace files: their results
 * say what they did. A fault here never fails a call: it is told once.
 */
import { isAbsolute, relative, resolve } from "node:path";
import { stateOf } from "../../adapters/git/undo/disk.ts";
import { ignoredBefore } from "../../adapters/git/undo/ignored.ts";
import { recordKilled, underWay } from "../../adapters/git/undo/killed.ts";
import { OwnRepository } from "../../adapters/git/undo/own-repository.ts";
import { type NewPath, Records } from "../../adapters/git/undo/records.ts";
import { type Running, SharedFolder } from "../../adapters/git/undo/shared-folder.ts";
import { WatchedFolder } from "../../adapters/git/undo/watched-folder.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { newTicket } from "../../adapters/tickets.ts";
import { messageOf } from "../../core/errors.ts";
import { isWithin } from "../../core/paths/paths.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { tried } from "../../core/tried.ts";
import type { PathChange } from "../../core/undo/change.ts";
import { removedWords } from "../../core/undo/removed-words.ts";
import type { Call, Run } from "../../runtime/agent/call.ts";
import { finishPending } from "../../team/actions/undo/carry-out.ts";
import type { Parts } from "../parts.ts";

const WHAT_MAX = 200;
/** Commands that remove or replace files. */
const REMOVES =
  /\b(?:rm|rmdir|unlink|mv|cp|shred|truncate|dd|find|rsync|git|sed|perl|tar|unzip|patch|tee|install|ln)\b|>(?!&|\s*\/dev\/null)/;
const LEFT_MAX = 100;
/** Records until the next look for what is over the bounds. */
const PRUNE_EVERY = 100;

/** One for all members of a team in this process. */
const recorders = new WeakMap<Parts["store"], Promise<Recorder>>();

export const recorderOf = (parts: Parts): Promise<Recorder> => {
  const found = recorders.get(parts.store) ?? openRecorder(parts);
  recorders.set(parts.store, found);
  return found;
};

async function openRecorder(parts: Parts): Promise<Recorder> {
  const { workspace, sandbox, store } = parts;
  const { active } = await sandbox.status();
  const repository = new OwnRepository(workspace, active ? sandbox : null, childEnvironment(process.env));
  const recorder = new Recorder(parts, repository, new Records(repository, store.team));
  // An undo that was killed is carried out before anything else changes the files.
  await finishPending(store, workspace, recorder.records).catch((error) => recorder.tell(error));
  await recordKilled(repository, store.team, recorder.records).catch((error) => recorder.tell(error));
  return recorder;
}

export class Recorder {
  readonly records: Records;
  private readonly parts: Pick<Parts, "workspace" | "store" | "secrets" | "changed" | "looks">;
  private readonly repository: OwnRepository;
  private readonly folders = new Map<string, SharedFolder>();
  private readonly told = new Set<string>();
  /** Of this process, so that replies of two processes are not one. */
  private readonly process = newTicket();
  private last: Promise<void> = Promise.resolve();
  /** Looks after commands that are under way. */
  private count = 0;

  constructor(
    parts: Pick<Parts, "workspace" | "store" | "secrets" | "changed" | "looks">,
    repository: OwnRepository,
    records: Records,
  ) {
    this.parts = parts;
    this.repository = repository;
    this.records = records;
  }

  async around(call: Call, next: Run, reply: number): Promise<string> {
    const { tool, input } = call;
    const root = call.ctx.workspace;
    if (!isWithin(this.parts.workspace, root)) return await next(call);
    // Read once, and now: by the end of the look after a command its member may have completed the task.
    void call.ctx.currentTask().catch(() => {});
    const files = tool.writes?.(input);
    if (call.access === "write" && files) return await this.aroundFiles(call, next, reply, files);
    return await this.aroundCommand(call, next, reply, root);
  }

  /** What nothing else has recorded of the workspace of a task, right before it lands. */
  async beforeLanding(call: Call): Promise<void> {
    const root = call.ctx.workspace;
    if (!isWithin(this.parts.workspace, root)) return;
    const folder = this.folderOf(root);
    const running = folder.since(call.ctx.self);
    await this.record(call, call.call.id, Date.now(), running).catch((error) => this.tell(error));
  }

  private async aroundFiles(call: Call, next: Run, reply: number, files: readonly string[]): Promise<string> {
    const root = call.ctx.workspace;
    const folder = this.folderOf(root);
    await folder.quiet();
    const paths = files
      .map((file) => relative(root, isAbsolute(file) ? file : resolve(root, file)))
      .filter((path) => path !== "" && !path.startsWith(".."));
    const before = paths.map((path) => stateOf(root, path));
    const began = Date.now();
    try {
      return await next(call);
    } finally {
      const left: string[] = [];
      const changed = paths.flatMap((path, nth): NewPath[] => {
        const [was, is] = [before[nth] ?? null, stateOf(root, path)];
        folder.wrote(path);
        if (was === "other" || is === "other") left.push(path);
        return was === "other" || is === "other" || isEqual(was, is)
          ? []
          : [{ path, before: was, after: is }];
      });
      this.note(call, reply, began, root, changed, [], left);
    }
  }

  private async aroundCommand(call: Call, next: Run, reply: number, root: string): Promise<string> {
    const folder = this.folderOf(root);
    const running = await folder.begin(call.ctx.self).catch((error) => this.tell(error));
    if (!running) return await next(call);
    const began = Date.now();
    const over = await this.begun(call, reply, began, root);
    const told = call.onTouched && (await ignoredBefore(this.repository, root));
    const tell = async (): Promise<void> => {
      if (told) call.onTouched?.(await told().catch(() => []));
    };
    let text: string;
    try {
      text = await next(call);
    } catch (error) {
      await this.end(call, reply, began, folder, running).catch((fault) => this.tell(fault));
      await tell();
      over();
      throw error;
    }
    const ended = this.end(call, reply, began, folder, running).catch((error) => this.tell(error));
    this.parts.looks.add(ended);
    void ended.then(() => {
      this.parts.looks.delete(ended);
      void this.last.then(over); // its record is written
    });
    const line = call.tool.line?.(call.input) ?? "";
    if (call.onTouched) await ended.then(tell);
    if (root !== this.parts.workspace || !REMOVES.test(line)) return text;
    const words = removedWords((await ended) ?? []);
    return words === "" ? text : `${text}\n[${words}]`;
  }

  /** Kept for the next process while the command runs. @returns what ends that */
  private async begun(call: Call, reply: number, began: number, root: string): Promise<() => void> {
    const own = {
      ...(await this.head(call, reply)),
      began,
      of: [],
      root: relative(this.parts.workspace, root),
    };
    return tried(
      () => underWay(this.repository, this.parts.store.team, own),
      () => {},
    );
  }

  private async head({ tool, call, input, ctx }: Call, reply: number | string) {
    const subject = this.parts.secrets.redact(tool.subject?.(input) ?? "");
    const task = (await ctx.currentTask().catch(() => null))?.id ?? null;
    return {
      ...{ kind: "call" as const, who: ctx.self, task, reply: `${this.process}.${reply}`, call: call.id },
      what: cutEnd(`${tool.name}: ${subject}`, WHAT_MAX),
    };
  }

  private async end(
    call: Call,
    reply: number,
    began: number,
    folder: SharedFolder,
    running: Running,
  ): Promise<readonly PathChange[]> {
    return await this.record(call, reply, began, folder.end(running));
  }

  private async record(
    call: Call,
    reply: number | string,
    began: number,
    ended: Promise<Running>,
  ): Promise<readonly PathChange[]> {
    const { paths, beside, left, shared } = await ended;
    const changed = [...paths.values()].filter(({ before, after }) => !isEqualBlob(before, after));
    call.onTouched?.([
      ...changed.map(({ path, after }) => ({ path, isGone: !after, isShared: shared.has(path) })),
      ...[...left].map((path) => ({ path, isGone: false, isShared: shared.has(path) })),
    ]);
    this.note(call, reply, began, call.ctx.workspace, changed, [...beside], [...left]);
    return changed;
  }

  /** Written while the member continues; one after the other. */
  private note(
    call: Call,
    reply: number | string,
    began: number,
    root: string,
    paths: readonly NewPath[],
    beside: Parameters<Records["add"]>[0]["beside"],
    left: readonly string[],
  ): void {
    if (paths.length + left.length === 0) return;
    if (root === this.parts.workspace) for (const { path } of paths) this.parts.changed.add(path);
    const at = Date.now();
    const head = this.head(call, reply);
    const add = async (): Promise<void> => {
      await this.records.add({
        ...{ ...(await head), began, at, beside, left: left.slice(0, LEFT_MAX), of: [] },
        roots: [{ root: relative(this.parts.workspace, root), paths }],
      });
      this.count += 1;
      if (this.count % PRUNE_EVERY !== 1) return;
      const gone = await this.records.prune(at);
      if (gone > 0)
        this.tell(
          `The records for undo take over 500 MB, so the oldest ${gone} were removed: ekiden undo cannot take those changes back. ekiden undo --list shows the others.`,
        );
    };
    this.last = this.last.then(add).catch((error) => void this.tell(error));
  }

  /** Resolves when all is written. */
  async flush(): Promise<void> {
    await Promise.all(this.parts.looks);
    await this.last;
  }

  private folderOf(root: string): SharedFolder {
    const known = this.folders.get(root);
    if (known) return known;
    const folder = new SharedFolder(new WatchedFolder(this.repository, root));
    this.folders.set(root, folder);
    return folder;
  }

  tell(error: unknown): null {
    const text = messageOf(error);
    if (!this.told.has(text)) void this.parts.store.journal.warn(null, text).catch(() => {});
    this.told.add(text);
    return null;
  }
}

type State = Exclude<ReturnType<typeof stateOf>, "other">;
const isEqual = (one: State, other: State): boolean =>
  one === null || other === null
    ? one === other
    : one.mode === other.mode && one.content.equals(other.content);
const isEqualBlob = (one: PathChange["before"], other: PathChange["before"]): boolean =>
  one?.mode === other?.mode && one?.oid === other?.oid;
