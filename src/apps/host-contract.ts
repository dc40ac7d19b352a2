/** What `run`, `resume` and the REPL need of a process that hosts a team; stands in until src/apps/host.ts is there. */
import type { EkidenError } from "../core/errors.ts";
import type { Name } from "../core/ids.ts";
import type { Settings } from "../core/settings.ts";
import type { Delta, Store } from "../ports/index.ts";

export type Runbook = { readonly goal: string };
export type Ask = (question: {
  readonly who: Name;
  readonly tool: string;
  readonly subject: string;
}) => Promise<"yes" | "no" | "always">;
export type HostOptions = {
  readonly settings: Settings;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onDelta?: (who: Name, delta: Delta) => void;
  readonly ask?: Ask;
  readonly interactive: boolean;
};
export type Work =
  | { readonly goal: string }
  | { readonly runbook: Runbook }
  | { readonly resume: true }
  | { readonly interactive: true };
export type Outcome = {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly unfinished: number;
  readonly reason: "concluded" | "budget" | "turns" | "model" | "interrupted";
  readonly text: string;
  readonly error?: EkidenError;
};
export type TeamHost = {
  readonly store: Store;
  start(work: Work): Promise<void>;
  readonly done: Promise<Outcome>;
  interrupt(): Promise<void>;
  stop(name?: Name, now?: boolean): Promise<void>;
  interruptLead(): void;
  close(): Promise<void>;
};
export function openHost(_options: HostOptions): Promise<TeamHost> {
  throw new Error("this build cannot host a team yet");
}
export function parseRunbook(_text: string, file: string): Runbook {
  return { goal: file };
}
