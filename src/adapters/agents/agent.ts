/** An agent program of another vendor, whatever protocol it speaks: texts, steps and questions. */
import type { Notice } from "../../core/limits/window.ts";
import type { Usage } from "../../ports/model.ts";

/** A step that the program has taken by itself. */
export type AgentStep = {
  readonly title: string;
  /** The name of the tool, where the program says it beside the title; else "". */
  readonly tool: string;
  readonly kind: string;
  readonly paths: readonly string[];
  readonly output: string;
  readonly failed: boolean;
};

/** A step that the program asks to take. */
export type AgentAsk = {
  /** In its own words: the command line, the file, the name of a tool. */
  readonly title: string;
  /** As in a step. */
  readonly tool: string;
  readonly kind: "run" | "edit" | "read" | "other";
  readonly command: string | null;
  readonly paths: readonly string[];
  readonly change: { readonly path: string; readonly before: string | null; readonly after: string } | null;
};

/** The side of the host. Errors of `readFile` and `writeFile` are told to the program. */
export type AgentHost = {
  said(type: "text" | "thinking", text: string): void;
  did(step: AgentStep): void;
  /** US dollars since the session began. */
  cost(usd: number): void;
  /** The use of the windows of its login. */
  limits(notices: readonly Notice[]): void;
  mayDo(ask: AgentAsk): Promise<boolean>;
  readFile(path: string, line: number | null, limit: number | null): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
};

/** An MCP server on stdio. */
export type BoardServer = {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly env: { readonly name: string; readonly value: string }[];
};
export type PromptEnd = { readonly reason: string; readonly usage: Usage };

export type RunningAgent = {
  /** @throws EkidenError `tool_failed` with its last output */
  open(): Promise<void>;
  /** Continues with the session `earlier`, where the program can (true); else with a new one. @throws EkidenError `tool_failed` */
  begin(cwd: string, server: BoardServer, earlier: string | null): Promise<boolean>;
  /** The id of its session; "" where the program has not said it yet. */
  readonly session: string;
  /** One turn of the program. @throws EkidenError `tool_failed` when it ends, or refuses */
  prompt(text: string): Promise<PromptEnd>;
  /** The prompt ends soon. */
  cancel(): Promise<void>;
  /** With all that it started. */
  close(): Promise<void>;
};
