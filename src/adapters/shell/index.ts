/**
 * Child processes on this machine. The one thing to know: a command has ended when its first process has, not when its
 * pipes are closed, because a grandchild may hold them open for ever.
 */

import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withCeiling } from "../../core/board/worktree.ts";
import { messageOf, toolFailed } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import { COMMAND_OUTPUT_MAX, OutputQuota } from "../../core/sandbox/output-quota.ts";
import type { Program, Sandbox, Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";
import { systemClock } from "../clock.ts";
import { outsideProgram } from "../outside-programs.ts";
import { markOf } from "../process-identity.ts";
import { endAll, groupAlive } from "../process-table.ts";
import { textIn } from "../small-files.ts";
import { CappedFile } from "./capped-file.ts";
import {
  type Ended,
  launch,
  noFolder,
  observe,
  outcomeOf,
  type Prepared,
  type Running,
  started,
} from "./child.ts";
import { childEnvironment } from "./environment.ts";
import { Leftovers } from "./leftovers.ts";
import { LimitWatch, shortageNote } from "./limits.ts";
import { Output } from "./output.ts";
import { bundled, findShell, scriptArgs } from "./programs.ts";
import { confine, type FaultReader, faultReader, faultText, killed, SandboxFault } from "./sandbox-fault.ts";
import { CUT_OFF, NOT_STARTED, Warden } from "./warden.ts";

export type ShellSettings = {
  /** Where output goes that is too large to keep; made when first needed. */
  readonly outputDir: string;
  /** Without it commands run with all rights of this process. */
  readonly sandbox?: Sandbox | undefined;
  /** Further names of variables that children get (`NAME`, `NAME_*`). */
  readonly passEnv?: readonly string[];
  /** Names of variables that children must not see. */
  readonly hideEnv?: readonly string[];
  readonly variablesIn?: Shell["variablesIn"];
  /** The environment of the children; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Begins the tags of all commands: see process-identity. */
  readonly mark?: string;
  /** Told the reason when the sandbox cannot be set up, also again. */
  readonly onSandboxFault?: (reason: string) => void;
  /** Milliseconds between TERM and KILL. Default 2,000. */
  readonly graceMs?: number;
};

const KEEP_BYTES = 30_000;
/** Pauses before a command is tried again whose sandbox could not be set up. */
const RETRIES_MS = [0, 10, 50, 200, 500, 2_000];
const LONGEST_TIMER = 2 ** 31 - 1;

export function createShell(settings: ShellSettings): Shell {
  const random = randomBytes(6).toString("hex");
  const mark = `${settings.mark ?? markOf("")}-${random}`;
  const graceMs = settings.graceMs ?? 2_000;
  const ownEnv = settings.env ?? process.env;
  const env = childEnvironment(ownEnv, { passed: settings.passEnv ?? [], hidden: settings.hideEnv ?? [] });
  const outerTag = ownEnv.EKIDEN_JOB ? `${ownEnv.EKIDEN_JOB}:` : "";
  const bash = findShell(env.PATH);
  const quota = new OutputQuota();
  const limitWatch = new LimitWatch();
  const warden = new Warden(bash, mark);
  const running = new Set<() => Promise<void>>();
  const leftovers = new Leftovers((group) => warden.ended(group));
  let jobs = 0;
  let closed = false;

  function nextTag(): string {
    jobs += 1;
    return `${mark}.${jobs};`;
  }

  /** A sandbox that cannot be set up at the moment is no failure of the command: nothing of it ran. */
  async function start(...given: Parameters<typeof startOnce>): Promise<ShellResult> {
    const [, , { outputFile, signal }] = given;
    for (const wait of [...RETRIES_MS, null]) {
      try {
        return await startOnce(...given);
      } catch (fault) {
        if (!(fault instanceof SandboxFault)) throw fault;
        if (outputFile !== undefined) rmSync(outputFile, { force: true });
        if (wait === null) {
          settings.onSandboxFault?.(fault.message);
          throw toolFailed(faultText(fault.message), { cause: fault });
        }
        await sleep(wait, undefined, { signal });
      }
    }
    throw new Error("unreachable");
  }

  async function startOnce(
    file: string,
    args: readonly string[],
    options: ShellOptions,
    line: boolean,
  ): Promise<ShellResult> {
    if (closed) throw toolFailed("The shell is closed: the team is stopping. Start nothing more.");
    options.signal.throwIfAborted();
    const tag = nextTag();
    const max = options.outputMax ?? COMMAND_OUTPUT_MAX;
    const spool = join(settings.outputDir, `${process.pid}-${random}.${jobs}.txt`);
    const limits = { max, quota, onOutput: options.onOutput };
    const output = new Output(options.keepBytes ?? KEEP_BYTES, spool, limits);
    const errors = options.errorsApart ? new Output(KEEP_BYTES, `${spool}.err`, limits) : output;
    const began = systemClock.uptime();
    const plain: Program = {
      ...{ file, args, cwd: options.cwd },
      env: withCeiling(
        { ...env, ...settings.variablesIn?.(options.cwd), ...options.env, EKIDEN_JOB: `${outerTag}${tag}` },
        options.cwd,
      ),
    };
    const wanted = options.unconfined ? undefined : (options.confine ?? (line ? {} : undefined));
    if (wanted !== undefined && !existsSync(options.cwd)) throw noFolder(options.cwd);
    const ends = options.endsLeft ? await import("./ends-left.ts") : null;
    const inside = ends?.counting(plain, tag) ?? plain;
    const confined = wanted === undefined ? null : await confine(settings.sandbox, inside, wanted);
    const setAside = lazy(async () => (await confined?.ended()) ?? null);
    let sink: number | null = null;
    let child: Running;
    let prepared: Prepared | undefined;
    let throwFault: FaultReader = async () => {};
    try {
      // Its members may run elsewhere: they are stopped then, or their lease comes back.
      await warden.allowed(options.signal);
      const isPlain = line && options.outputFile === undefined && options.input === undefined;
      const startPrepared = isPlain ? await confined?.prepared() : null;
      if (closed) throw toolFailed("The shell is closed: the team is stopping.");
      options.signal.throwIfAborted();
      if (warden.isOver) throw toolFailed(NOT_STARTED);
      sink = options.outputFile === undefined ? null : openNew(options.outputFile);
      warden.watch();
      const input = options.input === undefined ? "ignore" : "pipe";
      prepared = startPrepared?.() as typeof prepared;
      if (prepared) child = prepared;
      else {
        const stdio = [input, sink ?? "pipe", sink ?? "pipe", ...(confined?.descriptors ?? [])] as const;
        const reporting = confined?.reporting ?? null;
        const launched = launch({ ...(confined ?? plain), ...(reporting && { args: reporting.args }) }, [
          ...stdio,
          ...(reporting ? (["pipe"] as const) : []),
        ]);
        if (reporting) throwFault = faultReader(launched, stdio.length, reporting.ran);
        child = launched;
      }
      if (child.pid !== undefined) warden.began(child.pid);
    } catch (error) {
      if (sink !== null) closeSync(sink);
      await setAside();
      throw error;
    } finally {
      confined?.done();
    }
    const capped = sink === null ? null : new CappedFile(sink, max, quota);
    let ending: Promise<void> | undefined;
    let timedOut = false;
    let timeout: NodeJS.Timeout | undefined;
    let group = 0;
    const end = (): Promise<void> => {
      ending ??= endAll(tag, graceMs, new Set([group]), confined?.supervised ? group : null).finally(() => {
        // Input comes after timers in a turn of the event loop: an end that is already there is heard first.
        setTimeout(() => setImmediate(giveUp, { code: null, signal: "SIGKILL" }), 1_000).unref();
      });
      return ending;
    };
    let limit: string | null = null;
    let unwatch = (): void => {};
    let giveUp = (_: Ended): void => {};
    const onAbort = (): void => void end();
    try {
      group = await started(child, file, options.cwd);
      child.on("error", () => {});
      child.stdin?.on("error", () => {}); // it may end without reading its input
      child.stdin?.end(options.input);
      options.onStart?.(group);
      if (confined?.limits)
        unwatch = limitWatch.add({
          ...{ supervisor: group, limits: confined.limits, cwd: options.cwd },
          onOver(note) {
            limit = note;
          },
        });
      const over = observe(child, output, errors);
      const unkillable = new Promise<Ended>((resolve) => {
        giveUp = resolve;
      });
      timeout = setTimeout(
        () => {
          timedOut = true;
          void end();
        },
        Math.min(Math.max(0, options.timeoutMs), LONGEST_TIMER),
      );
      options.signal.addEventListener("abort", onAbort, { once: true });
      if (options.signal.aborted) onAbort();
      running.add(end);
      const last = await Promise.race([over, unkillable]);
      const { code, signal } = outcomeOf(last, confined, ending !== undefined);
      await ending;
      const ended = ending === undefined ? ((await ends?.endLeft(tag, group, graceMs)) ?? 0) : 0;
      if (options.signal.aborted && ending) throw options.signal.reason;
      // A supervisor reports the signal as an exit code.
      const wasCut = signal !== null || code === 143 || code === 137;
      if (wasCut && ending === undefined && (await warden.hasActedSince(began))) throw toolFailed(CUT_OFF);
      // A supervisor names the exit code of its program: it has been ended itself.
      if (confined?.supervised && signal !== null && ending === undefined && limit === null)
        throw killed(prepared?.began);
      capped?.finish();
      const text = output.finish();
      const said = errors === output ? text : errors.finish();
      if (ending === undefined && limit === null)
        await throwFault(code, sink === null ? said : textIn(options.outputFile ?? ""));
      return {
        exitCode: code,
        signal,
        output: text,
        errors: errors === output ? "" : said,
        totalBytes:
          sink === null || capped === null ? output.totalBytes : fstatSync(sink).size + capped.dropped,
        spooledTo: options.outputFile ?? output.spooledTo,
        timedOut,
        ...ends?.counted(text, tag, ended),
        ms: systemClock.uptime() - began,
        droppedBytes: capped?.dropped ?? output.droppedBytes,
        limit: limit ?? shortageNote(code, said, options.cwd, confined?.limits ?? null),
        denial:
          ending === undefined && limit === null ? (confined?.denial(code === 0 ? "" : said) ?? null) : null,
        setAside: await setAside(),
      };
    } finally {
      unwatch();
      clearTimeout(timeout);
      options.signal.removeEventListener("abort", onAbort);
      running.delete(end);
      output.close();
      errors.close();
      capped?.finish();
      if (sink !== null) closeSync(sink);
      // A supervisor takes all that it started along.
      if (group !== 0 && !confined?.supervised && groupAlive(group)) leftovers.add(group);
      else if (group !== 0) warden.ended(group);
      await setAside();
    }
  }

  return {
    // One pipe for both streams, so that they come in the order in which they were written.
    run(command, options) {
      const script = options.errorsApart ? command : `exec 2>&1; ${command}`;
      return start(bash, scriptArgs(bash, script), options, true);
    },
    async exec(name, args, options) {
      const file = await bundled(name);
      const own = file.includes("/") ? file : outsideProgram(file, env.PATH, options.cwd);
      if (own === null)
        throw toolFailed(
          `The program ${file} was not found outside of the project. Install it, or use another one.`,
          { details: { missing: true } },
        );
      const { confine } = options;
      const readable = [...(confine?.readable ?? []), ...(file === name ? [] : [dirname(file)])];
      return start(own, args, { ...options, ...(confine && { confine: { ...confine, readable } }) }, false);
    },
    extend: (ms) => warden.renewed(ms),
    variablesIn: (folder) => settings.variablesIn?.(folder) ?? {},
    newTag() {
      warden.watch();
      return nextTag();
    },
    async close() {
      closed = true;
      await Promise.all([...running].map((end) => end()));
      if (jobs > 0) await endAll(`${mark}.`, graceMs, leftovers.close());
      warden.close();
    },
  };
}

/** A file that only its owner can read, written at its end. @throws EkidenError `tool_failed` */
function openNew(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "ax", 0o600);
  } catch (cause) {
    throw toolFailed(`The output cannot be kept in ${path}: ${messageOf(cause)}.`, { cause });
  }
}
