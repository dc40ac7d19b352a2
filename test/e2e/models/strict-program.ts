/**
 * The program as its user runs it, on one server with all strict emulators and models that think. `isSound` at the end of a test:
 * nothing was refused or lost, and no conversation changed what it had said before.
 */
import { expect } from "vitest";
import type { NewTask } from "../../../src/core/board/task.ts";
import { prefixBreaks } from "../../../src/core/conversation/prefix.ts";
import { transcript } from "../../../src/team/queries/transcript.ts";
import {
  type ModelCall,
  type ModelServer,
  type Program,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { repliesIn, type Service, serviceEnv, thoughtsIn } from "../../fixtures/thinking-models.ts";
import { type Ended, ended, Project } from "../cli-program.ts";

export const isSummary = ({ tools }: ModelCall): boolean => tools.length === 0;
export const lastOf = ({ messages }: ModelCall): string => JSON.stringify(messages.at(-1));
export const isLead = ({ system }: ModelCall): boolean => system.startsWith('You are "lead"');

export class StrictProgram {
  readonly project = new Project();
  server!: ModelServer;

  async serve(any: Program): Promise<void> {
    this.server = await startModelServer({ any });
  }

  async end(): Promise<void> {
    await this.project.end();
    await this.server?.close();
  }

  async add(subject: string, more: Omit<NewTask, "subject"> = {}): Promise<void> {
    await this.project.add({ subject, ...more });
  }

  private args({ model, flags }: Service, args: readonly string[]): string[] {
    return [...args, "--model", model, ...(flags?.(this.server.url) ?? []), "--permission-mode", "bypass"];
  }

  run(service: Service, args: readonly string[], input?: string): Promise<Ended> {
    const env = serviceEnv(this.server);
    return this.project.run(this.args(service, args), { env, ...(input !== undefined && { input }) });
  }

  /** Not waited for. */
  start(service: Service, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const child = this.project.start(this.args(service, args), { ...serviceEnv(this.server), ...env });
    return { over: ended(child), kill: () => void child.kill("SIGKILL") };
  }

  async isSound(...who: readonly string[]): Promise<void> {
    const { refusals, dropped, faults } = this.server;
    expect([refusals, dropped, faults]).toEqual([[], [], []]);
    const store = await this.project.store();
    for (const name of who) {
      const { entries } = await transcript(store, name);
      expect(entries.filter(({ entry }) => entry.kind === "said").length).toBeGreaterThan(0);
      expect(prefixBreaks(entries.map(({ entry }) => entry))).toEqual([]);
    }
  }
}

export type Started = { readonly over: Promise<Ended>; readonly kill: () => void };

/** Every reply of the conversation that `request` continues with comes back with its thought, where the service wants it. */
export function hasThoughts(request: ModelCall | undefined, { keepsThoughts }: Service): void {
  if (!request) throw new Error("no request");
  expect(repliesIn(request)).toBeGreaterThan(0);
  if (keepsThoughts) expect(thoughtsIn(request)).toBeGreaterThanOrEqual(repliesIn(request));
  else expect(thoughtsIn(request)).toBe(0);
}
