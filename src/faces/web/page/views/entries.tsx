/** The entries of a conversation: what was heard, thought, said and done. */

import { type Entry, type ToolCall, type ToolResult, textOf } from "../../../../core/conversation/chat.ts";
import { CUT_WORDS } from "../../../../core/conversation/cut.ts";
import type { PictureMember as Member } from "../../../../core/picture/member.ts";
import { languageOf } from "../../../../core/text/code-parts.ts";
import { callText } from "../../../../core/views/call-text.ts";
import { type Called, shownCall } from "../../../../core/views/shown-call.ts";
import { span } from "../../../../core/views/view.ts";
import type { ConversationPage } from "../../wire.ts";
import { app } from "../app.ts";
import { Elapsed } from "../parts/clock.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { Link, Time } from "../parts/parts.tsx";
import { ShownImage } from "../parts/shown-image.tsx";
import { Diff, lastLines, Markdown, Output } from "../parts/text.tsx";
import { isAsking } from "../pure/board.ts";
import { type Before, edited } from "../pure/edits.ts";
import { type HeardPart, heardParts } from "../pure/heard.ts";

type Line = ConversationPage["entries"][number];

const isSubagent = (call: Called): boolean => shownCall(call).kind === "subagent";

/** The calls that start a subagent; the nth of a member is called "alice/n". */
export const subagentsOf = (entry: Entry): number =>
  entry.kind === "said"
    ? entry.message.content.filter((part) => part.type === "call" && isSubagent(part)).length
    : 0;

/** When the answer to a call was stored, the answer, and how long the call waited for a person before it ran. */
export type Answered = {
  readonly at: number;
  readonly result: ToolResult;
  readonly waited: (from: number) => number;
};

type BlockProps = {
  who: string;
  line: Line;
  results: ReadonlyMap<string, Answered>;
  before: ReadonlyMap<string, Before>;
  isPast: boolean;
  firstSubagent: number;
  /** It said more before it heard anything else. */
  goesOn: boolean;
};

export function EntryBlock({ line: { at, entry }, ...given }: BlockProps) {
  const past = given.isPast ? " past" : "";
  switch (entry.kind) {
    case "result":
      return null; // it stands with its call
    case "heard":
      return (
        <article class={`entry heard${past}`}>
          {heardParts(entry.text).map((part, i) => (
            <Heard key={i} part={part} at={at} />
          ))}
          {entry.images?.map((image) => (
            <ShownImage key={image.sha256} image={image} />
          ))}
        </article>
      );
    case "summary":
      return (
        <article class="entry summary">
          <Head who="Summed up" at={at} />
          <details>
            <summary>Everything above was removed from its context; this summary was kept.</summary>
            <Markdown text={entry.text} />
          </details>
        </article>
      );
    case "opened":
      return (
        <article class="entry summary">
          <Head who="The conversation begins" at={at} />
          <details>
            <summary>{`System prompt, ${entry.tools.length} tools, project and identity.`}</summary>
            <pre>{[entry.system, entry.shared, entry.own].filter(Boolean).join("\n\n")}</pre>
          </details>
        </article>
      );
    case "cut":
      return <p class="entry trimmed">{CUT_WORDS}</p>;
    case "trimmed":
      return (
        <p class="entry trimmed">From here on, older steps and results are sent to the model shortened.</p>
      );
    case "said":
      return <SaidBlock {...given} said={entry} at={at} />;
    default:
      return entry satisfies never;
  }
}

type SaidProps = Omit<BlockProps, "line"> & {
  readonly said: Extract<Entry, { kind: "said" }>;
  readonly at: number;
};

function SaidBlock({ who, said, at, results, before, isPast, firstSubagent, goesOn }: SaidProps) {
  let nth = firstSubagent;
  const words = textOf(said.message).trim();
  return (
    <article class={`entry said${isPast ? " past" : ""}${goesOn ? " goes-on" : ""}`}>
      {!goesOn && <Head who={who} at={at} />}
      {words.length > COPIED_MIN && <CopyButton text={words} of="these words" />}
      {said.message.content.map((part, i) => {
        if (part.type === "text")
          return part.text.trim() === "" ? null : <Markdown key={i} text={part.text} />;
        if (part.type === "thinking")
          return part.text.trim() === "" ? null : (
            <details key={i} class="thinking">
              <summary>Thinking</summary>
              <Markdown text={part.text} />
            </details>
          );
        if (isSubagent(part)) nth += 1;
        return (
          <CallBlock
            key={i}
            who={who}
            call={part}
            at={at}
            answered={results.get(part.id)}
            before={before.get(part.id)}
            subagent={isSubagent(part) ? `${who}/${nth}` : null}
          />
        );
      })}
    </article>
  );
}

const LONG = 900;
/** Shorter words are marked and copied faster by hand. */
const COPIED_MIN = 120;

/** Mail, a task, a reminder: its author and its words. */
function Heard({ part: { title, text }, at }: { part: HeardPart; at: number }) {
  return (
    <>
      <Head who={title} at={at} />
      {text.length > LONG ? (
        <details>
          <summary>{text.trimStart().split("\n")[0]}</summary>
          <Markdown text={text} />
        </details>
      ) : (
        <Markdown text={text} />
      )}
    </>
  );
}

const Head = ({ who, at }: { who: string; at: number }) => (
  <header class="entry-head">
    <b>{who}</b> <Time at={at} />
  </header>
);

function CallBlock({
  who,
  call,
  at,
  answered,
  before,
  subagent,
}: {
  who: string;
  call: ToolCall;
  at: number;
  answered: Answered | undefined;
  before: Before;
  subagent: string | null;
}) {
  const result = answered?.result;
  const exit = result && exitCodeOf(call, result);
  const state = !result ? "open" : result.isError || exit !== undefined ? "failed" : "done";
  const member = app.model.members.get(who.split("/")[0] ?? "");
  const isAsked = member !== undefined && isAsking(member);
  const now = member?.hosted ? (isAsked ? "waits for you" : "runs") : "was cut off";
  const words = { open: now, failed: "failed", done: "" }[state];
  return (
    <details class={`call ${state}`} open={state !== "done" || isEdit(call)}>
      <summary>
        <b>{call.tool}</b>{" "}
        {words && exit === undefined && (
          <span class={words === "runs" ? "busy" : state === "failed" ? "bad" : "warn"}>{words}</span>
        )}{" "}
        <code>{callText(call).split("\n")[0]}</code>{" "}
        {exit !== undefined && <span class="tag bad">exit {exit}</span>}{" "}
        <span class="dim took">
          {answered ? tookOf(answered, at) : words === "runs" && <Elapsed since={at} />}
        </span>
        {subagent && (
          <>
            {" "}
            <Link to={{ view: "conversation", item: subagent }}>its conversation</Link>
          </>
        )}
      </summary>
      <CallInput call={call} before={before} />
      {result ? (
        result.text !== "" && <Output text={result.text} language={languageIn(call)} />
      ) : (
        <LiveText member={member} call={call} />
      )}
    </details>
  );
}

/** "0.4s", "12s"; "" for what took no time that one notices. */
const took = (ms: number): string => (ms < 100 ? "" : ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : span(ms));

/** Time in which it waited for a person is none of its own: "ran 0.2s · waited 5m43s". */
function tookOf({ at, waited }: Answered, from: number): string {
  const held = waited(from);
  return held < 1_000 ? took(at - from) : `ran ${took(at - from - held) || "0.0s"} · waited ${span(held)}`;
}

/** The language of a file that is read. */
function languageIn(call: ToolCall): string {
  const shown = shownCall(call);
  return shown.kind === "file" ? languageOf(shown.path) : "";
}

/** Whether a command without its secrets, or its beginning, comes from this one. */
function isOf(redacted: string, command: string): boolean {
  let at = 0;
  return redacted.split(/\[secret [\w .-]+\]/).every((part) => {
    const found = command.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

/** The exit code of a command that failed, which `bash` writes at the end of its result. */
function exitCodeOf(call: ToolCall, { text }: ToolResult): string | undefined {
  return shownCall(call).kind === "command" ? /\[exit code (\d+)\]\s*$/.exec(text)?.[1] : undefined;
}

/** The output of an open call's command until now. */
function LiveText({ member, call }: { member: Member | undefined; call: ToolCall }) {
  const shown = shownCall(call);
  if (shown.kind !== "command" || !member?.hosted || app.replay) return null;
  if (member.machine) return <p class="dim">Runs on {member.machine}: its output is there.</p>;
  const printing = app.output.find(
    (one) => one.kind === "command" && one.who === member.name && isOf(one.command, shown.command),
  );
  if (!printing) return null;
  return (
    <div class="output" aria-live="off">
      <pre tabIndex={0}>{lastLines(printing.text, 14)}</pre>
    </div>
  );
}

const isEdit = (call: Called): boolean => /^(?:edit|write)$/.test(shownCall(call).kind);

/** Fields that hold prose: a plan, a result, a letter. */
const PROSE = ["plan", "result", "reason", "text"] as const;

/** A call as a person judges it: the change of a file as a diff, the command whole, prose as prose, the rest as it is. */
export function CallInput({ call, before }: { call: Called; before?: Before }) {
  const { input } = call;
  const shown = shownCall(call);
  const fields = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;
  const text = (key: string): string => (typeof fields[key] === "string" ? (fields[key] as string) : "");
  if (shown.kind === "edit") {
    const after = typeof before === "string" ? edited(before, shown) : null;
    if (after === null) return <Diff before={shown.old} after={shown.new} />;
    return <Diff before={before as string} after={after} />;
  }
  if (shown.kind === "write")
    return (
      <>
        {typeof before !== "string" && (
          <p class="dim">
            {before === null ? "A new file" : "The whole file; what it held before is not known here"}
          </p>
        )}
        <Diff before={before ?? ""} after={shown.content} />
      </>
    );
  if (shown.kind === "command") return <Output text={shown.command} head={30} tail={0} language="sh" />;
  const prose = PROSE.find((key) => text(key) !== "");
  if (prose !== undefined) return <Markdown text={text(prose)} />;
  // The line of the call names it already.
  if (shown.kind === "file" && shown.isWhole) return null;
  const rest = JSON.stringify(input, null, 2) ?? "";
  return rest === "{}" || rest === "" ? null : <Output text={rest} />;
}
