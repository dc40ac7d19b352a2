/**
 * The sandbox of a process: chooses the adapter of the system, has it proven once, and confines programs with it. An adapter
 * that has not proven itself here counts as off.
 */
import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { notPermitted } from "../../core/errors.ts";
import { type CommandLimits, DEFAULT_COMMAND_LIMITS } from "../../core/sandbox/command-limits.ts";
import { denialNote } from "../../core/sandbox/denial.ts";
import {
  type Confinement,
  EVERY_HOST,
  type Network,
  sandboxPolicy,
  UNIX_SOCKETS,
} from "../../core/sandbox/sandbox.ts";
import type { ConfinedProgram, Program, Sandbox, SandboxStatus, WholeProgram } from "../../ports/shell.ts";
import { real } from "../small-files.ts";
import { findProgram, tasksOf } from "./bubblewrap.ts";
import { ClosedFiles, NOTHING } from "./files/closed.ts";
import { NestedNames } from "./files/nested.ts";
import { NewFiles } from "./files/new-files.ts";
import { GitLinks } from "./git-links.ts";
import { jailedProgram } from "./jailed.ts";
import type { SandboxOptions } from "./options.ts";
import { coveredOf, namesOf, onlyRead, writableWords } from "./place.ts";
import type { ProofPlace } from "./proof.ts";
import { hintOf, ProvenKeys } from "./proven.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { replacedFolders, Stage } from "./stage.ts";
import { findTool, proofKey, type Tool } from "./tool.ts";

/** `isFaulty`: there is a program, and it does not hold. A moment later it may. */
type Ready = { readonly tool: Tool } | { readonly off: string; readonly isFaulty: boolean };
const PROOFS = 3;
const AGAIN_MS = 300;
/** `filter`: where its descriptor is opened from. */
type Built = ConfinedProgram & { readonly filter: string | null };

const LOOKS = { readOnly: true, network: "off" } as const;
const REQUIRED = " It is required, so no command runs until that is changed, or the setting sandbox.";
const FAULTY =
  " So no command runs: one that is there and fails is not left out unasked. With --sandbox off (EKIDEN_SANDBOX=off, the setting sandbox) commands run without one.";

export function createSandbox(options: SandboxOptions): Sandbox {
  return new ProcessSandbox(options);
}

class ProcessSandbox implements Sandbox {
  private readonly options: SandboxOptions;
  private readonly home: string;
  private readonly workspace: string;
  private hosts: string[];
  private ready: Promise<Ready> | null = null;
  private stage: Stage | null = null;
  private readonly nested = new NestedNames();
  private readonly newFiles: NewFiles;
  private readonly closed: ClosedFiles;
  private readonly gitLinks = new GitLinks();
  private readonly limits: CommandLimits;

  constructor(options: SandboxOptions) {
    this.options = options;
    this.limits = options.limits ?? DEFAULT_COMMAND_LIMITS;
    const home = options.env?.HOME || homedir();
    this.home = real(home) ?? home;
    this.workspace = realpathSync(options.workspace);
    this.closed = new ClosedFiles(options.closed ?? { read: [], write: [] }, this.workspace, this.home);
    this.hosts = typeof options.network === "string" ? [] : [...options.network];
    const { cacheFolder, inWorktrees = false } = options;
    this.newFiles = new NewFiles(
      `${cacheFolder}-set-aside`,
      this.workspace,
      inWorktrees,
      this.nested,
      (program) => this.confineWhole(program, LOOKS),
    );
  }

  async confine(program: Program, wanted: Confinement): Promise<Built | null> {
    const tool = await this.tool();
    return tool && (await this.build(tool, program, wanted, null));
  }

  accept(workspace: string, path: string): void {
    this.newFiles.accept(resolve(real(workspace) ?? workspace, path));
  }

  async confineWhole(program: Program, wanted: Confinement): Promise<WholeProgram> {
    const confined = await this.confine(program, wanted);
    if (confined === null) return { ...program, ended: async () => null };
    confined.done();
    const { file, args, cwd, env, ended, filter } = confined;
    if (filter === null) return { file, args, cwd, env, ended };
    return { file: "/bin/sh", args: ["-c", 'exec "$@" 3<"$0"', filter, file, ...args], cwd, env, ended };
  }

  allowHosts(hosts: readonly string[]): void {
    this.hosts = [...new Set([...this.hosts, ...hosts])];
  }

  async status(): Promise<SandboxStatus> {
    const { mode } = this.options;
    const off: Ready = { off: "The settings turn it off.", isFaulty: false };
    const ready = mode === "off" ? off : await this.readiness();
    if ("off" in ready) {
      const { isFaulty } = ready;
      const refused = mode === "required" ? REQUIRED : isFaulty ? FAULTY : "";
      return {
        ...{ mode, active: false, isFaulty, adapter: null, version: null },
        text: `Sandbox off: ${ready.off}${refused}`,
        network: "not restricted",
      };
    }
    const { name, found } = ready.tool;
    return {
      ...{ mode, active: true, isFaulty: false, adapter: name, version: found.path },
      text: `Sandbox on (${name}): commands write only to ${writableWords(this.workspace, this.home)}.`,
      network: this.networkText(ready.tool),
    };
  }

  async close(): Promise<void> {
    this.gitLinks.close();
    await this.stage?.close();
    this.stage = null;
  }

  private networkText({ name }: Tool): string {
    const hosts = this.hosts
      .filter((host) => host !== UNIX_SOCKETS)
      .map((host) => (host === EVERY_HOST ? "all hosts but this machine and private networks" : host));
    const sockets = this.hosts.includes(UNIX_SOCKETS) ? ", and Unix sockets" : "";
    if (hosts.length === 0) return `no connections${sockets}`;
    return name === "bubblewrap" && this.nsenter() === null
      ? `no connections${sockets}: listed hosts need the program nsenter (package util-linux)`
      : `HTTP and HTTPS to ${hosts.join(", ")}${sockets}`;
  }

  /** Null: programs run as they are. @throws EkidenError `not_permitted` */
  private async tool(): Promise<Tool | null> {
    const { mode } = this.options;
    if (mode === "off") return null;
    const ready = await this.readiness();
    if ("tool" in ready) return ready.tool;
    if (mode === "auto" && !ready.isFaulty) return null;
    throw notPermitted(`The sandbox is off: ${ready.off}${mode === "required" ? REQUIRED : FAULTY}`);
  }

  /** A fault is looked for again when the next command starts. */
  private readiness(): Promise<Ready> {
    this.ready ??= this.findProven().then((found) => {
      if ("off" in found && found.isFaulty) this.ready = null;
      return found;
    });
    return this.ready;
  }

  private async findProven(): Promise<Ready> {
    const tool = findTool(this.options.env?.PATH ?? process.env.PATH, this.workspace);
    if (typeof tool === "string") return { off: tool, isFaulty: false };
    const keys = new ProvenKeys(this.options.stateFolder);
    const key = proofKey(tool);
    if (keys.has(key)) return { tool };
    let fault: string | null = "";
    for (let nth = 1; nth <= PROOFS && fault !== null; nth += 1) {
      if (nth > 1) await setTimeout(AGAIN_MS);
      fault = await this.prove(tool);
    }
    if (fault !== null) {
      const where = `${tool.name} (${tool.found.path})`;
      return { off: `${where} does not hold on this system: ${fault}.${hintOf(fault)}`, isFaulty: true };
    }
    keys.add(key);
    return { tool };
  }

  private nsenter(): string | null {
    const path = this.options.env?.PATH ?? process.env.PATH;
    return findProgram("nsenter", path, [this.workspace, ...replacedFolders()])?.path ?? null;
  }

  private async prove(tool: Tool): Promise<string | null> {
    const { proofFault } = await import("./proof.ts");
    const stage = this.staged(tool);
    const folder = join(stage.folder, `proof-${randomBytes(4).toString("hex")}`);
    return await proofFault(folder, this.home, (program, place) =>
      this.build(tool, program, { readOnly: false, network: "off" }, place),
    );
  }

  private staged(tool: Tool): Stage {
    const { cacheFolder, ownFolders, inWorktrees = false, shown = [] } = this.options;
    this.stage ??= new Stage({
      ...{ home: this.home, workspace: this.workspace, cacheFolder, ownFolders, inWorktrees, shown },
      bwrap: tool.name === "bubblewrap" ? tool.found.path : null,
      nsenter: this.nsenter(),
      ...{ filter: tool.filter, tasks: tasksOf(this.limits) },
      confine: (program) => this.confineWhole(program, { ...LOOKS, isLanding: true, seesClosed: true }),
    });
    return this.stage;
  }

  private async build(
    tool: Tool,
    program: Program,
    wanted: Confinement,
    proof: ProofPlace | null,
  ): Promise<Built> {
    const stage = this.staged(tool);
    stage.mend();
    if (!proof) await stage.objects?.takeLeft();
    const lent = wanted.hosts ?? [];
    const hosts = [...new Set([...this.hosts, ...lent])];
    const session: Network = hosts.length > 0 ? hosts : "off";
    const closed = proof || wanted.seesClosed ? NOTHING : await this.closed.find();
    const hidden = [...closed.hidden, ...coveredOf(wanted)];
    const visible = stage.visible.of({ ...(this.options.env ?? process.env), ...program.env });
    const found = proof
      ? stage.proofPlace(proof, visible)
      : { ...stage.reader.read(real(program.cwd) ?? program.cwd, wanted, visible), ...closed, hidden };
    const isOwn = wanted.isLanding === true;
    const isLook = isOwn && wanted.readOnly === true;
    const folders = proof || wanted.readOnly ? [] : found.roots.filter((one) => !found.opened?.includes(one));
    const guarded = [...found.guarded, ...folders.flatMap((root) => this.nested.guarded(root))];
    const place = isLook ? onlyRead(found) : { ...found, guarded };
    const policy = sandboxPolicy(place, wanted, session);
    const opened = wanted.readOnly === "workspace" ? (place.opened ?? []) : [];
    const changeable = proof || wanted.readOnly ? opened : place.roots;
    const links = this.gitLinks.watch(proof || wanted.readOnly ? [] : place.git, stage.reads);
    const files = this.newFiles.watch(changeable, program.env, (root) => namesOf(root, wanted), folders);
    const gitMounts = proof || wanted.readOnly ? [] : place.git.flatMap((one) => one.mounts ?? []);
    const objects = stage.objects?.watch(gitMounts) ?? (async () => null);
    const began = performance.now();
    const denial = (output: string) => denialNote(output, policy, shared?.refusedSince(began) ?? [], real);
    const { network } = policy;
    // A command that must have no network although others have gets one of its own, and so does what reaches other hosts.
    const key = wanted.network === undefined ? "" : JSON.stringify(wanted.network);
    // Git of our own has one of its own, too, where it needs no other: it starts with fewer programs.
    const isApart = proof || (network === "off" && (session !== "off" || isOwn));
    const shared = isApart ? null : stage.network(network === "off" ? "" : key);
    const open = network === "off" ? null : [...network, ...this.hosts].filter((one) => !lent.includes(one));
    const variables = (open && (await shared?.open(open))) ?? {};
    const giveBack = await shared?.lend(lent);
    let rested = (): void => {};
    const ended = async (): Promise<string | null> => {
      rested();
      giveBack?.();
      return [await links(), await objects(), await files()].filter(Boolean).join("\n") || null;
    };
    const after = { ended, denial };
    const [env, { cwd }] = [{ ...program.env, ...stage.variables, ...variables }, program];
    if (tool.name === "seatbelt") {
      const args = ["-p", seatbeltProfile(policy, stage.folder, null), program.file, ...program.args];
      return {
        ...{ file: tool.found.path, args, cwd, env },
        ...{ descriptors: [], limits: null, reporting: null, supervised: false, ...after },
        prepared: async () => null,
        filter: null,
        done() {},
      };
    }
    tool.name satisfies "bubblewrap"; // another adapter must not be run as this one
    const enter = (await shared?.enter()) ?? [];
    const { emptyFile, emptyFolder } = stage;
    const opensSockets = network.includes(UNIX_SOCKETS);
    const filter = opensSockets ? stage.openFilter : stage.filter;
    const coversMovable = place.hidden?.some((one) => !one.isPlaced) ?? false;
    if (!proof) rested = (await stage.spares?.began()) ?? rested;
    const jailed = jailedProgram({
      ...{ policy, jail: { isJoined: shared !== null, emptyFile, emptyFolder, links: visible.links } },
      ...{ enter: [...(isLook ? [] : (stage.group?.join ?? [])), ...enter], bwrap: tool.found.path },
      ...{ program: { ...program, env }, limits: isLook ? null : this.limits, coversMovable },
      ...{ spares: proof || opensSockets ? null : stage.spares, filter },
    });
    return Object.assign(jailed, { ...after, filter: filter?.path ?? null });
  }
}
