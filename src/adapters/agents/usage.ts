/** The tokens that an agent program says it has used. Programs may say anything: a value that is not a number of 0 or more counts as nothing. */
import type { PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Usage } from "../../ports/model.ts";

export const NO_USAGE: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

export const sumOf = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  outputTokens: a.outputTokens + b.outputTokens,
});

export const isNothing = ({ inputTokens, outputTokens }: Usage): boolean => inputTokens + outputTokens === 0;

/** Not in the stable protocol yet; the adapters of some vendors send it all the same, and Gemini CLI in its own form. */
export function usageOf(end: PromptResponse): Usage {
  const { quota } = (end._meta ?? {}) as { quota?: { token_count?: unknown } };
  const number = numbersOf((end as { usage?: unknown }).usage);
  const own = numbersOf(quota?.token_count);
  const cachedTokens = number("cachedReadTokens");
  return {
    inputTokens: number("inputTokens") + cachedTokens + number("cachedWriteTokens") + own("input_tokens"),
    cachedTokens,
    outputTokens: number("outputTokens") + number("thoughtTokens") + own("output_tokens"),
  };
}

/** The usage of one request to a model, which Qwen Code sends beside its texts. */
export function usageBeside(_meta: SessionUpdate["_meta"]): Usage {
  const number = numbersOf((_meta as { usage?: unknown } | null | undefined)?.usage);
  return {
    inputTokens: number("inputTokens"),
    cachedTokens: number("cachedReadTokens"),
    outputTokens: number("outputTokens"),
  };
}

export const numbersOf = (told: unknown): ((name: string) => number) => {
  const used = (told ?? {}) as Readonly<Record<string, unknown>>;
  return (name) => {
    const value = used[name];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
  };
};
