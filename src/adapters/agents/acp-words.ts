/** The messages of the Agent Client Protocol, translated into the words of this program. */
import type { PromptResponse, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { messageOf } from "../../core/errors.ts";
import type { Usage } from "../../ports/model.ts";
import type { AgentAsk } from "./acp.ts";

const KINDS: Readonly<Record<string, AgentAsk["kind"]>> = {
  execute: "run",
  edit: "edit",
  delete: "edit",
  move: "edit",
  read: "read",
  search: "read",
};

export function askOf(call: ToolCallUpdate): AgentAsk {
  const raw = (call.rawInput ?? {}) as Readonly<Record<string, unknown>>;
  const { command } = raw;
  const line = typeof command === "string" ? command : Array.isArray(command) ? command.join(" ") : null;
  const diff = call.content?.find((part) => part.type === "diff");
  const kind = KINDS[call.kind ?? ""] ?? "other";
  return {
    title: call.title ?? "",
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

function shownPart(part: ToolCallContent): string {
  if (part.type === "diff") return `${part.oldText == null ? "Created" : "Changed"} ${part.path}.`;
  return part.type === "content" && part.content.type === "text" ? part.content.text : "";
}

/** Not in the stable protocol yet; the adapters of some vendors send it all the same. */
export function usageOf(end: PromptResponse): Usage {
  const used = ((end as { usage?: unknown }).usage ?? {}) as Readonly<Record<string, unknown>>;
  const number = (name: string): number => (typeof used[name] === "number" ? used[name] : 0);
  const cachedTokens = number("cachedReadTokens");
  return {
    inputTokens: number("inputTokens") + cachedTokens + number("cachedWriteTokens"),
    cachedTokens,
    outputTokens: number("outputTokens") + number("thoughtTokens"),
  };
}

/** Errors of the protocol keep the reason in their data. */
export function wordsOf(error: unknown): string {
  const { data } = (error ?? {}) as { data?: unknown };
  const more = (data as { details?: unknown } | undefined)?.details ?? (typeof data === "string" ? data : "");
  const words = messageOf(error);
  return typeof more === "string" && more !== "" && !words.includes(more) ? `${words} (${more})` : words;
}
