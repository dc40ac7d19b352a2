/** Encodes a request of the Messages protocol as text. Each message and each list of tools is encoded once and kept. */
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from "@ai-sdk/provider";

const MARK = { cache_control: { type: "ephemeral" } } as const;

export function bodyOf(
  model: string,
  { prompt, tools = [], maxOutputTokens }: LanguageModelV3CallOptions,
): string {
  const system = prompt.flatMap((message) =>
    message.role === "system"
      ? [{ type: "text", text: message.content, ...(message.providerOptions && MARK) }]
      : [],
  );
  const offered = tools.flatMap((tool) => (tool.type === "function" ? [encodedTool(tool)] : []));
  const head = JSON.stringify({
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    ...(system.length > 0 && { system }),
  });
  const list = offered.length > 0 ? `,"tools":[${offered.join(",")}]` : "";
  return `${head.slice(0, -1)}${list},"messages":[${turnsOf(prompt).join(",")}]}`;
}

const schemas = new WeakMap<object, string>();

function encodedTool({
  name,
  description,
  inputSchema,
  providerOptions,
}: LanguageModelV3FunctionTool): string {
  const schema = schemas.get(inputSchema) ?? JSON.stringify(inputSchema);
  schemas.set(inputSchema, schema);
  const head = JSON.stringify({ name, description, ...(providerOptions && MARK) });
  return `${head.slice(0, -1)},"input_schema":${schema}}`;
}

/** The prompt has a message for each result and text of one turn; here they are one message. */
function turnsOf(prompt: readonly LanguageModelV3Message[]): string[] {
  const turns: { role: "user" | "assistant"; blocks: string[] }[] = [];
  for (const message of prompt) {
    const blocks = encoded(message);
    if (blocks === "") continue; // a thought of another vendor, which this one would refuse
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(blocks);
    else turns.push({ role, blocks: [blocks] });
  }
  return turns.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks.join(",")}]}`);
}

const known = new WeakMap<LanguageModelV3Message, string>();

function encoded(message: LanguageModelV3Message): string {
  const before = known.get(message);
  if (before !== undefined) return before;
  const blocks = blocksOf(message);
  const last = blocks.at(-1);
  if (message.providerOptions && last) blocks[blocks.length - 1] = { ...last, ...MARK };
  const text = blocks.map((block) => JSON.stringify(block)).join(",");
  known.set(message, text);
  return text;
}

function blocksOf(message: LanguageModelV3Message): object[] {
  if (message.role === "system") return [];
  return message.content.flatMap((part): object[] => {
    switch (part.type) {
      case "text":
        return [{ type: "text", text: part.text }];
      case "reasoning": {
        const own = part.providerOptions?.anthropic;
        if (typeof own?.redactedData === "string")
          return [{ type: "redacted_thinking", data: own.redactedData }];
        // The provider refuses it without its signature.
        return typeof own?.signature === "string"
          ? [{ type: "thinking", thinking: part.text, signature: own.signature }]
          : [];
      }
      case "tool-call":
        return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input }];
      case "tool-result": {
        const { output } = part;
        const isError = output.type === "error-text";
        const content = "value" in output ? output.value : "";
        return [
          { type: "tool_result", tool_use_id: part.toolCallId, content, ...(isError && { is_error: true }) },
        ];
      }
      default:
        return [];
    }
  });
}
