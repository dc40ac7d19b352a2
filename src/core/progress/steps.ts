/** The calls of one reply with their results, as loop detection and looks at the work read them. */
import { callsOf, type Entry } from "../conversation/chat.ts";
import { oneLine } from "../text/one-line.ts";
import { inOurNames } from "../tool-names.ts";
import { shownCall } from "../views/shown-call.ts";

/** An agent's reply and the results of its calls, as they are stored. */
export type Round = readonly Entry[];

export type ToolTraits = {
  /** It looks at what continues by itself, such as a job. */
  readonly watches: boolean;
};

/** A call with its result. */
export type Step = {
  readonly tool: string;
  readonly input: unknown;
  readonly text: string;
  readonly isError: boolean;
  readonly traits: ToolTraits;
};

export function stepsOf(round: Round, traits: (tool: string) => ToolTraits): Step[] {
  const results = new Map(
    round.flatMap((entry) => (entry.kind === "result" ? [[entry.result.id, entry.result] as const] : [])),
  );
  return round.flatMap((entry) =>
    entry.kind === "said"
      ? callsOf(entry.message).map((call) => {
          const { tool, input } = inOurNames(call);
          const { text, isError } = results.get(call.id) ?? { text: "", isError: true };
          return { tool, input, text, isError, traits: traits(tool) };
        })
      : [],
  );
}

/** The shell line of a call; null for one of another kind. */
export const lineOf = (step: Pick<Step, "tool" | "input">): string | null => {
  const shown = shownCall(step);
  return shown.kind === "command" ? shown.command : null;
};

/** `bash npm test → 1 failed`, with the end of a result: that is where commands say how it went. */
export function stepLine(step: Step): string {
  const input = lineOf(step) ?? Object.values(Object(step.input)).map(inText).join(" ");
  const last = step.text.trimEnd().split("\n").at(-1) ?? "";
  return `${step.tool} ${oneLine(input, 80)} → ${step.isError ? "failed: " : ""}${oneLine(last, 60)}`;
}

const inText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");
