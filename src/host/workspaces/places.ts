/**
 * What the commands in a worktree know of it: where it is, its ports and a name for a database. Ports are leased in the store for the machine,
 * with the task; the name follows from the machine and the folder, so that what removes the database finds it after the lease, too.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { hostname } from "node:os";
import type { TaskId } from "../../core/ids.ts";
import { isWithin } from "../../core/paths/paths.ts";
import { portsOf, portVariables } from "../../core/project/ports.ts";
import { placeVariables } from "../../core/project/set-up.ts";
import type { PortBlocks, Worktree } from "../../ports/index.ts";

type Variables = Readonly<Record<string, string>>;

export class Places {
  private readonly project: string;
  private readonly ports: () => PortBlocks | null;
  private readonly known = new Map<string, { readonly attempt: number; readonly variables: Variables }>();

  /** `ports`: null before the store is open. */
  constructor(project: string, ports: () => PortBlocks | null) {
    this.project = project;
    this.ports = ports;
  }

  /** Before a command of the task runs. A claim keeps its ports. `file`: that of the set-up, "" for none. */
  async enter(tree: Worktree, attempt: number, file: string): Promise<void> {
    const { workspace, task, target } = tree;
    if (this.known.get(workspace)?.attempt === attempt) return;
    const ports = this.ports();
    const block = ports && (await freeBlock(ports, task));
    const place = { project: this.project, workspace, target, block };
    const variables = {
      ...placeVariables(file, place),
      EKIDEN_TASK: String(task),
      EKIDEN_DB: `ekiden_${task}_${hash(`${hostname()}\0${workspace}`)}`,
      ...(block !== null && portVariables(block)),
    };
    this.known.set(workspace, { attempt, variables });
  }

  variablesIn(folder: string): Variables {
    for (const [workspace, { variables }] of this.known)
      if (folder === workspace || isWithin(workspace, folder)) return variables;
    return {};
  }

  async leave({ workspace, task }: Worktree): Promise<void> {
    this.known.delete(workspace);
    await this.ports()?.give(task, hostname());
  }
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 10);

/** Programs that know nothing of the store listen, too. */
async function freeBlock(ports: PortBlocks, task: TaskId): Promise<number | null> {
  const used: number[] = [];
  for (;;) {
    const block = await ports.take(task, hostname(), used);
    if (block === null) return null;
    const free = await Promise.all(
      portsOf(block).flatMap((port) => ["127.0.0.1", "::1"].map((host) => isFree(port, host))),
    );
    if (free.every(Boolean)) return block;
    used.push(block);
  }
}

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve(code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT"); // a machine without that address
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
