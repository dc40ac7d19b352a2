/** The strict emulators of the other protocols, spoken to by hand: each refusal once. */
import { expect, it, onTestFinished } from "vitest";
import { says, startModelServer } from "../../fixtures/model-server/index.ts";
import { sealed } from "../../fixtures/providers/seals.ts";

type Json = Record<string, unknown>;
type Failed = { readonly error: string | { readonly message: string } };
type Case = readonly [what: string, change: Json, words: string, path?: string];

async function refuses(
  fit: Json,
  headers: Record<string, string>,
  path: string,
  cases: readonly Case[],
): Promise<void> {
  const server = await startModelServer({ any: () => says("ok") });
  onTestFinished(async () => {
    server.faults.length = 0;
    await server.close();
  });
  const ask = async (to: string, body: Json): Promise<readonly [number, string]> => {
    const answer = await fetch(server.url + to, { method: "POST", headers, body: JSON.stringify(body) });
    return [answer.status, await answer.text()];
  };
  expect((await ask(path, fit))[0]).toBe(200);
  for (const [what, change, words, to = path] of cases) {
    const [status, text] = await ask(to, { ...fit, ...change });
    const { error } = status >= 400 ? (JSON.parse(text) as Failed) : { error: text };
    const message = typeof error === "string" ? error : error.message;
    expect([what, status >= 400, message]).toEqual([what, true, expect.stringContaining(words)]);
  }
  expect(server.refusals).toHaveLength(cases.length);
}

const OBJECT = { type: "object", properties: {} };
const KEYED = { authorization: "Bearer key" };

it("OpenAI Responses", async () => {
  const user = { role: "user", content: [{ type: "input_text", text: "hi" }] };
  const call = { type: "function_call", call_id: "call_1", name: "bash", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: "x" };
  const thought = { type: "reasoning", id: "rs_1", summary: [] };
  const tool = { type: "function", name: "bash", parameters: OBJECT };
  const strict = (parameters: Json): Json => ({ tools: [{ ...tool, strict: true, parameters }] });
  const fit = { model: "gpt-6.1-sol", input: [user], tools: [tool], stream: true, store: false };
  await refuses(fit, KEYED, "/v1/responses", [
    ["a parameter", { effort: "low" }, "Unknown parameter: 'effort'."],
    ["a field", { input: [{ ...user, meta: 1 }] }, "Unknown parameter: 'input[0].meta'."],
    [
      "a reference",
      { input: [user, { type: "item_reference", id: "rs_1" }, user] },
      "Items are not persisted when `store` is set to false",
    ],
    ["a thought in clear", { input: [user, thought, call, output] }, "Item with id 'rs_1' not found"],
    [
      "a lone thought",
      { input: [user, { ...thought, encrypted_content: sealed({ account: "key" }) }, user] },
      "without its required following item",
    ],
    [
      "a forged thought",
      { input: [user, { ...thought, encrypted_content: "AAAA" }, call, output] },
      "could not be verified",
    ],
    [
      "a thought of another account",
      { input: [user, { ...thought, encrypted_content: sealed({ account: "x" }) }, call, output] },
      "could not be verified",
    ],
    ["an open call", { input: [user, call] }, "No tool output found for function call call_1."],
    [
      "an orphan",
      { input: [user, output] },
      "No tool call found for function call output with call_id call_1.",
    ],
    ["an id", { input: [user, { ...call, id: "call_1" }, output] }, "begins with 'fc'"],
    [
      "a long id",
      { input: [user, { ...call, call_id: "c".repeat(65) }, { ...output, call_id: "c".repeat(65) }] },
      "maximum length 64",
    ],
    ["a name", { tools: [{ ...tool, name: "a.b" }] }, "Invalid 'tools[0].name'"],
    ["a short limit", { max_output_tokens: 5 }, "Expected a value >= 16"],
    ["a schema", { tools: [{ ...tool, parameters: {} }] }, `type: "None"`],
    [
      "an array",
      { tools: [{ ...tool, parameters: { type: "object", properties: { a: { type: "array" } } } }] },
      "array schema missing items",
    ],
    ["open properties", strict(OBJECT), "'additionalProperties' is required"],
    [
      "an optional property",
      strict({ ...OBJECT, properties: { a: { type: "string" } }, additionalProperties: false }),
      "Missing 'a'",
    ],
    ["a temperature", { temperature: 1 }, "Unsupported parameter: 'temperature'"],
    [
      "an effort",
      { reasoning: { effort: "none" } },
      "Unsupported value: 'none' is not supported with the 'gpt-6.1-sol' model",
    ],
    [
      "effort without thinking",
      { model: "gpt-4.1", reasoning: { effort: "low" } },
      "'reasoning.effort' is not supported",
    ],
    [
      "encryption without thinking",
      { model: "gpt-4.1", include: ["reasoning.encrypted_content"] },
      "Encrypted content is not supported",
    ],
  ]);
});

it("chat completions, and services that go their own ways", async () => {
  const user = { role: "user", content: "hi" };
  const calls = (id: string, more: Json = {}, text = "{}"): Json => ({
    ...{ role: "assistant", content: null },
    tool_calls: [{ id, type: "function", function: { name: "bash", arguments: text } }],
    ...more,
  });
  const result = (id: string): Json => ({ role: "tool", tool_call_id: id, content: "x" });
  const tool = { type: "function", function: { name: "bash", parameters: OBJECT } };
  const thought = { reasoning_content: "I look." };
  const fit = {
    model: "some-model",
    messages: [user, calls("abcdefghi", { ...thought, content: "" }), result("abcdefghi")],
    tools: [tool],
  };
  const chat = (service: string): string => `/${service}/v1/chat/completions`;
  await refuses(fit, {}, chat("deepseek"), [
    ["a parameter", { effort: "low" }, "Unrecognized request argument supplied: effort"],
    ["no message", { messages: [] }, "empty array"],
    ["an orphan", { messages: [user, result("a")] }, "must be a response to a preceeding message"],
    ["an open call", { messages: [user, calls("a", thought), user] }, "did not have response messages: a"],
    ["no content", { messages: [{ role: "user", content: null }] }, "expected a string, got null"],
    [
      "input that is not JSON",
      { messages: [user, calls("a", thought, "{"), result("a")] },
      "not a JSON object",
    ],
    [
      "a name",
      { tools: [{ type: "function", function: { name: "a.b", parameters: OBJECT } }] },
      "does not match pattern",
    ],
    [
      "a schema",
      { tools: [{ type: "function", function: { name: "a", parameters: {} } }] },
      "Invalid schema for function 'a'",
    ],
    [
      "DeepSeek: no reasoning",
      { messages: [user, calls("a"), result("a")] },
      "must be passed back to the API",
    ],
    [
      "DeepSeek: a reply without reasoning and calls",
      { messages: [user, { role: "assistant", content: "x" }, user] },
      "must be passed back to the API",
    ],
    [
      "DeepSeek: null beside reasoning",
      { messages: [user, calls("a", thought), result("a")] },
      "must be passed back to the API",
    ],
    [
      "DeepSeek: nothing but reasoning",
      { messages: [user, { role: "assistant", content: "", ...thought }, user] },
      "position 1 with role 'assistant' must not be empty",
    ],
    [
      "Moonshot: an object without a list of required fields",
      {},
      "'root.required': required must be an array",
      chat("moonshot"),
    ],
    [
      "Mistral: heard behind a result",
      { messages: [user, calls("abcdefghi"), result("abcdefghi"), user] },
      "Unexpected role 'user' after role 'tool'",
      chat("mistral"),
    ],
    [
      "Mistral: a question for usage",
      { messages: [user], stream_options: { include_usage: true } },
      "include_usage: Extra inputs are not permitted",
      chat("mistral"),
    ],
    [
      "xAI: effort",
      { model: "grok-4", reasoning_effort: "low" },
      "does not support parameter reasoningEffort",
      chat("xai"),
    ],
    ["Groq: reasoning", {}, "property 'reasoning_content' is unsupported", chat("groq")],
    ["Mistral: reasoning", {}, "reasoning_content: Extra inputs are not permitted", chat("mistral")],
    [
      "Mistral: an id",
      { messages: [user, calls("call_1"), result("call_1")] },
      "with a length of 9",
      chat("mistral"),
    ],
  ]);
});

it("Ollama", async () => {
  const user = { role: "user", content: "hi" };
  const tool = (parameters: Json): Json => ({ type: "function", function: { name: "bash", parameters } });
  const call = { id: "call_1", function: { name: "bash", arguments: "{}" } };
  await refuses({ model: "qwen3", messages: [user] }, {}, "/ollama/api/chat", [
    ["no model", { model: "missing" }, "model 'missing' not found"],
    ["no tools", { model: "no-tools", tools: [tool({})] }, "does not support tools"],
    ["no thinking", { model: "some-model", think: "low" }, `"some-model" does not support thinking`],
    ["a level", { think: "xhigh" }, "invalid think value"],
    ["parts", { messages: [{ role: "user", content: [] }] }, "cannot unmarshal array"],
    ["an image", { messages: [{ ...user, images: ["data:image/png;base64,x"] }] }, "illegal base64"],
    ["arguments", { messages: [user, { role: "assistant", tool_calls: [call] }] }, "function.arguments"],
    ["a schema", { tools: [tool({ properties: { any: true } })] }, "api.ToolProperty"],
    ["a list", { tools: [tool({ required: "path" })] }, "[]string"],
    [
      "its size",
      { truncate: false, options: { num_ctx: 4 } },
      "exceeds the available context size (4 tokens)",
    ],
  ]);
});

it("Gemini", async () => {
  const user = { role: "user", parts: [{ text: "hi" }] };
  const call = (signature?: string, name = "bash"): Json => ({
    role: "model",
    parts: [{ functionCall: { name, args: {} }, ...(signature && { thoughtSignature: signature }) }],
  });
  const answer = (...names: string[]): Json => ({
    role: "user",
    parts: names.map((name) => ({ functionResponse: { name, response: {} } })),
  });
  const skip = "skip_thought_signature_validator";
  const tool = (parameters: Json, name = "bash"): Json => ({
    tools: [{ functionDeclarations: [{ name, parameters }] }],
  });
  const thinking = (thinkingConfig: Json, more: Json = {}): Json => ({
    generationConfig: { thinkingConfig, ...more },
  });
  const fit = { contents: [user, call(skip), answer("bash")], ...tool(OBJECT) };
  const path = (model: string): string => `/v1beta/models/${model}:streamGenerateContent`;
  await refuses(fit, { "x-goog-api-key": "key" }, path("gemini-3.8-flash"), [
    ["a field", { effort: "low" }, 'Unknown name "effort": Cannot find field.'],
    ["no contents", { contents: [] }, "contents is not specified"],
    ["no parts", { contents: [{ role: "user", parts: [] }] }, "parts must not be empty"],
    ["an empty text", { contents: [{ role: "user", parts: [{ text: "" }] }] }, "must have a text parameter"],
    ["a name", tool(OBJECT, "1a"), "Invalid function name"],
    ["a keyword", tool({ ...OBJECT, additionalProperties: false }), 'Unknown name "additionalProperties"'],
    [
      "an enum of numbers",
      tool({ type: "object", properties: { a: { type: "integer", enum: ["1"] } } }),
      "only allowed for STRING type",
    ],
    ["a required ghost", tool({ ...OBJECT, required: ["a"] }), "required[0]: property is not defined"],
    ["an array", tool({ type: "object", properties: { a: { type: "array" } } }), "items: missing field"],
    [
      "a call behind a reply",
      { contents: [user, { role: "model", parts: [{ text: "x" }] }, call(skip), answer("bash")] },
      "immediately after a user turn",
    ],
    [
      "two of the user",
      { contents: [user, call(skip), answer("bash"), user] },
      "alternate between user and model",
    ],
    [
      "a GIF image",
      { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/gif", data: "AA==" } }] }] },
      "Unsupported MIME type: image/gif",
    ],
    ["no type", tool({ type: "object", properties: { a: {} } }), "type: must be specified"],
    [
      "a format",
      tool({ type: "object", properties: { a: { type: "string", format: "uri" } } }),
      "only 'enum' and 'date-time' are supported",
    ],
    [
      "the name of a field",
      tool({ type: "object", properties: { "1a": { type: "string" } } }),
      "Invalid parameter name",
    ],
    [
      "a level of later models",
      thinking({ thinkingLevel: "minimal" }),
      "Thinking level MINIMAL is not supported",
    ],
    ["too few answers", { contents: [user, call(skip), user] }, "equal to the number of function call parts"],
    ["an orphan", { contents: [user, answer("bash")] }, "immediately after a function call turn"],
    [
      "no signature",
      { contents: [user, call(), answer("bash")] },
      "Function call is missing a thought_signature",
    ],
    [
      "a signature of another part",
      { contents: [user, call(sealed({ of: "x" })), answer("bash")] },
      "Corrupted thought signature",
    ],
    [
      "two ways to think",
      thinking({ thinkingBudget: 1, thinkingLevel: "low" }),
      "only one of thinking budget and thinking level",
    ],
    [
      "a level",
      thinking({ thinkingLevel: "low" }),
      "Thinking level is not supported",
      path("gemini-2.5-pro"),
    ],
    ["a budget", thinking({ thinkingBudget: 99_999 }), "between 128 and 32768", path("gemini-2.5-pro")],
    [
      "thoughts",
      thinking({ includeThoughts: true }),
      "thinking is not supported by this model",
      path("gemini-2.0-flash"),
    ],
    ["a limit", thinking({}, { maxOutputTokens: 70_000 }), "from 1 (inclusive) to 65537"],
  ]);
});
