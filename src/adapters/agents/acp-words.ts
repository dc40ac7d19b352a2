/** The messages of the Agent Client Protocol, translated into the words of this program. */
import type { PermissionOption, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { messageOf } from "../../core/errors.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { AgentAsk } from "./agent.ts";

const KINDS: Readonly<Record<string, AgentAsk["kind"]>> = {
  execute: "run",
  edit: "edit",
  delete: "edit",
  move: "edit",
  read: "read",
  search: "read",
};

/** Characters of each text of a call that are kept, and members of a list. */
const KEPT = 20_000;
const LIST_KEPT = 100;

/** A call in as many words as people can read. */
export const shortened = (update: ToolCallUpdate): ToolCallUpdate => cut(update, 0) as ToolCallUpdate;

function cut(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.length <= KEPT ? value : `${copied(value)}\n[… too long]`;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 6) return null;
  if (Array.isArray(value)) return value.slice(0, LIST_KEPT).map((one) => cut(one, depth + 1));
  const fields = Object.entries(value).slice(0, LIST_KEPT);
  return Object.fromEntries(fields.map(([key, one]) => [key.slice(0, KEPT), cut(one, depth + 1)]));
}

/** A part of a text keeps the whole of it in memory, unless it is written again. */
const copied = (text: string): string => Buffer.from(cutEnd(text, KEPT)).toString();

export function askOf(call: ToolCallUpdate, options: readonly PermissionOption[] = []): AgentAsk {
  const raw = (call.rawInput ?? {}) as Readonly<Record<string, unknown>>;
  const { command } = raw;
  const line = typeof command === "string" ? command : Array.isArray(command) ? command.join(" ") : null;
  const diff = call.content?.find((part) => part.type === "diff");
  const kind = KINDS[call.kind ?? ""] ?? "other";
  return {
    title: call.title ?? "",
    tool: toolOf(call, options),
    // A program that names a command would run it, whatever it calls that.
    kind: line === null ? kind : "run",
    command: line ?? (kind === "run" ? (call.title ?? "") : null),
    paths: pathsOf(call),
    change: diff ? { path: diff.path, before: diff.oldText ?? null, after: diff.newText } : null,
  };
}

/** The files that a call names anywhere. */
export function pathsOf({ locations, content, rawInput }: ToolCallUpdate): string[] {
  const raw = (rawInput ?? {}) as Readonly<Record<string, unknown>>;
  const named = [raw.file_path, raw.filePath, raw.path, raw.abs_path];
  const diffs = content?.flatMap((part) => (part.type === "diff" ? [part.path] : [])) ?? [];
  const all = [...(locations ?? []).map(({ path }) => path), ...diffs, ...named];
  return [...new Set(all.filter((path): path is string => typeof path === "string" && path !== ""))];
}

export function outputOf({ content, rawOutput }: ToolCallUpdate): string {
  const text = (content ?? []).map(shownPart).filter(Boolean).join("\n");
  if (text !== "" || rawOutput === undefined || rawOutput === null) return text;
  return typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput);
}

/** Codex sends the output of a command in pieces, as for a terminal of the client, and only so. */
export function printedIn({ _meta }: ToolCallUpdate): string {
  const { terminal_output_delta: more, terminal_output: all } = (_meta ?? {}) as Readonly<
    Record<string, { data?: unknown } | undefined>
  >;
  const data = more?.data ?? all?.data;
  return typeof data === "string" ? data : "";
}

function shownPart(part: ToolCallContent): string {
  if (part.type === "diff") return `${part.oldText == null ? "Created" : "Changed"} ${part.path}.`;
  return part.type === "content" && part.content.type === "text" ? part.content.text : "";
}

/** The name of a tool where a program says it beside the title. Qwen Code's questions name it only in what they offer to allow for good. */
export function toolOf({ _meta }: ToolCallUpdate, options: readonly PermissionOption[] = []): string {
  const { toolName } = (_meta ?? {}) as { toolName?: unknown };
  if (typeof toolName === "string") return toolName;
  const offered = options.flatMap(({ kind, name }) =>
    kind === "allow_always" ? (/: (\w+)$/.exec(name)?.[1] ?? []) : [],
  );
  return offered[0] ?? "";
}

/** Errors of the protocol keep the reason in their data. */
export function wordsOf(error: unknown): string {
  const { data } = (error ?? {}) as { data?: unknown };
  const more = (data as { details?: unknown } | undefined)?.details ?? (typeof data === "string" ? data : "");
  const words = messageOf(error);
  return typeof more === "string" && more !== "" && !words.includes(more) ? `${words} (${more})` : words;
}
