/**
 * Calls that wait for long, as tasks of the protocol's extension (SEP-2663, revision 2026-07-28): the client gets a handle at once and
 * polls. A client that polls no more is gone, and nothing may be claimed for it.
 */
import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";

export const TASKS = "io.modelcontextprotocol/tasks";

const POLL_MS = 1_000;
const GONE_MS = 60_000;
const TASKS_MAX = 1_000;
const MISSING_CAPABILITY = -32_021;
const INVALID_PARAMS = -32_602;

type Status =
  | { readonly status: "working" | "cancelled" }
  | { readonly status: "completed"; readonly result: CallToolResult }
  | { readonly status: "failed"; readonly error: { readonly code: number; readonly message: string } };
type Task = {
  /** The client of the task: each sees only its own. */
  readonly owner: string;
  readonly createdAt: string;
  readonly over: AbortController;
  lastUpdatedAt: string;
  now: Status;
  gone: NodeJS.Timeout | undefined;
};

const ofTask = { params: z.object({ taskId: z.string() }) };

export class WaitTasks {
  private readonly tasks = new Map<string, Task>();

  /** Begins a call whose result is polled. `owner`: see Task. Returns the result that stands for it. */
  begin(owner: string, work: (signal: AbortSignal) => Promise<CallToolResult>): CallToolResult {
    if (this.tasks.size >= TASKS_MAX)
      throw new ProtocolError(INVALID_PARAMS, `There are ${TASKS_MAX} tasks already.`);
    const at = new Date().toISOString();
    const over = new AbortController();
    const now: Status = { status: "working" };
    const task: Task = { owner, createdAt: at, lastUpdatedAt: at, over, now, gone: undefined };
    const id = randomUUID();
    this.tasks.set(id, task);
    this.heardOf(id, task);
    void work(over.signal).then(
      (result) => this.set(task, { status: "completed", result }),
      (error) => this.set(task, { status: "failed", error: { code: -32_603, message: messageOf(error) } }),
    );
    // The discriminator of the extension, which the types of the protocol leave open.
    return { resultType: "task", ...shown(id, task) } as unknown as CallToolResult;
  }

  /** Adds the methods of the extension. `may`: whether the client of this request has declared it. */
  serve(server: Server, owner: string, may: (context: ServerContext) => boolean): void {
    const found = (taskId: string, context: ServerContext): [string, Task] => {
      if (!may(context))
        throw new ProtocolError(MISSING_CAPABILITY, "Missing required client capability", {
          requiredCapabilities: { extensions: { [TASKS]: {} } },
        });
      const task = this.tasks.get(taskId);
      if (task?.owner !== owner) throw new ProtocolError(INVALID_PARAMS, "Task not found");
      return [taskId, task];
    };
    server.setRequestHandler("tasks/get", ofTask, ({ taskId }, context) => {
      const [id, task] = found(taskId, context);
      this.heardOf(id, task);
      return shown(id, task);
    });
    // No task of this server asks for anything.
    server.setRequestHandler("tasks/update", ofTask, ({ taskId }, context) => {
      found(taskId, context);
      return {};
    });
    server.setRequestHandler("tasks/cancel", ofTask, ({ taskId }, context) => {
      const [, task] = found(taskId, context);
      task.over.abort();
      this.set(task, { status: "cancelled" });
      return {};
    });
  }

  close(): void {
    for (const { over, gone } of this.tasks.values()) {
      clearTimeout(gone);
      over.abort();
    }
    this.tasks.clear();
  }

  private set(task: Task, now: Status): void {
    if (task.now.status !== "working") return;
    task.now = now;
    task.lastUpdatedAt = new Date().toISOString();
  }

  private heardOf(id: string, task: Task): void {
    clearTimeout(task.gone);
    task.gone = setTimeout(() => {
      task.over.abort();
      this.tasks.delete(id);
    }, GONE_MS);
    task.gone.unref();
  }
}

const shown = (taskId: string, { createdAt, lastUpdatedAt, now }: Task) => ({
  taskId,
  createdAt,
  lastUpdatedAt,
  ttlMs: null,
  pollIntervalMs: POLL_MS,
  ...now,
});
