/** A call of a tool, the board and a prompt, as the Agent Client Protocol has them. Pure. */

import { isAbsolute, resolve } from "node:path";
import type {
  ContentBlock,
  PlanEntry,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from "@agentclientprotocol/sdk";
import type { Task } from "../../core/board/task.ts";
import type { ToolCall } from "../../core/conversation/chat.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { tried } from "../../core/tried.ts";
import { callText } from "../../core/views/call-text.ts";
import { type ShownCall, shownCall } from "../../core/views/shown-call.ts";
import { fenced } from "../../core/views/transcript-markdown.ts";

const TITLE_MAX = 200;
/** Characters of a result: editors keep all that they are sent. */
const OUTPUT_MAX = 20_000;
/** A board may have thousands of tasks, and every change sends all entries again. */
const ENTRIES_MAX = 200;

export type ShownInEditor = {
  readonly title: string;
  readonly kind: ToolKind;
  readonly content: ToolCallContent[];
  readonly locations: ToolCallLocation[];
};

/** `cwd`: the folder that its paths are relative to. */
export function shownInEditor(call: Pick<ToolCall, "tool" | "input" | "shows">, cwd: string): ShownInEditor {
  const shown = shownCall(call);
  const content = diffOf(shown, cwd);
  const locations = "path" in shown ? [{ path: absolute(cwd, shown.path) }] : [];
  return { title: oneLine(titleOf(call, shown), TITLE_MAX), kind: kindOf(shown), content, locations };
}

const absolute = (cwd: string, path: string): string => (isAbsolute(path) ? path : resolve(cwd, path));

function kindOf({ kind }: ShownCall): ToolKind {
  switch (kind) {
    case "command":
      return "execute";
    case "edit":
    case "write":
      return "edit";
    case "file":
      return "read";
    case "subagent":
      return "think";
    case "other":
      return "other";
  }
}

function titleOf(call: Pick<ToolCall, "tool" | "input" | "shows">, shown: ShownCall): string {
  if (shown.kind === "command") return shown.command;
  if (shown.kind === "edit") return `Edit ${shown.path}`;
  if (shown.kind === "write") return `Write ${shown.path}`;
  const about = callText(call);
  return about === "" ? call.tool : `${call.tool} ${about}`;
}

function diffOf(shown: ShownCall, cwd: string): ToolCallContent[] {
  if (shown.kind === "edit")
    return [{ type: "diff", path: absolute(cwd, shown.path), oldText: shown.old, newText: shown.new }];
  if (shown.kind === "write")
    return [{ type: "diff", path: absolute(cwd, shown.path), oldText: null, newText: shown.content }];
  return [];
}

export const textBlock = (text: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text: cutEnd(text, OUTPUT_MAX) },
});

/** A diff of the whole file, as it is shown where a permission is asked for. */
export const patchBlock = (diff: string): ToolCallContent =>
  textBlock(`${"`".repeat(4)}diff\n${diff}\n${"`".repeat(4)}`);

/** The protocol has no state for a task that failed: it is over, and its words say how. */
export function planOf(tasks: readonly Task[]): PlanEntry[] {
  return tasks
    .filter(({ status }) => status !== "cancelled")
    .slice(-ENTRIES_MAX)
    .map((task) => ({
      content: `#${task.id} ${task.subject}${task.status === "failed" ? " (failed)" : ""}${ownerOf(task)}`,
      priority: task.priority > 0 ? "high" : task.priority < 0 ? "low" : "medium",
      status: task.status === "pending" || task.status === "in_progress" ? task.status : "completed",
    }));
}

const ownerOf = (task: Task): string => ("owner" in task && task.owner ? ` · ${task.owner}` : "");

/** The text of the person, with the files that the editor put into it. Images are kept apart. */
export const promptText = (blocks: readonly ContentBlock[]): string =>
  blocks
    .flatMap((block): string[] => {
      switch (block.type) {
        case "text":
          return [block.text];
        case "resource_link":
          return [pathOf(block.uri)];
        case "resource":
          return "text" in block.resource
            ? [`\n${pathOf(block.resource.uri)}:\n${fenced(block.resource.text)}\n`]
            : [pathOf(block.resource.uri)];
        default:
          return [];
      }
    })
    .join("");

const pathOf = (uri: string): string =>
  tried(() => (uri.startsWith("file://") ? decodeURIComponent(new URL(uri).pathname) : uri), uri);
