import { expect, it } from "vitest";
import { failureOf } from "./failures.ts";
import { StreamBroken } from "./stream.ts";

const SECRET = "my-own-gateway-key";
const context = { spec: "p/m", keyVariable: "P_API_KEY", secret: SECRET, now: Date.UTC(2026, 0, 1) };
const answered = (statusCode: number, message: string, responseHeaders = {}, responseBody = "") =>
  Object.assign(new Error(message), { name: "AI_APICallError", statusCode, responseHeaders, responseBody });

it.each([
  [{ "retry-after-ms": "250", "retry-after": "9" }, "", 250],
  [{ "retry-after": "9" }, "", 9_000],
  [{ "retry-after": "0.5" }, "", 500],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, "", 30_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, "", 0],
  [{}, '{"details": [{"retryDelay": "37s"}]}', 37_000],
  [{ "retry-after": "soon" }, "", undefined],
])("reads how long to wait from %j %s", (headers, body, ms) => {
  expect(failureOf(answered(429, "slow down", headers, body), context).details).toEqual({
    status: 429,
    everyone: true,
    ...(ms !== undefined && { retryAfterMs: ms }),
  });
});

it.each([
  [answered(403, "no"), "model_auth"],
  [answered(400, "API key not valid. Please pass a valid API key."), "model_auth"],
  [answered(400, "API key expired. Please renew the API key."), "model_auth"],
  [answered(413, "big"), "context_overflow"],
  [answered(404, "model: nope"), "model_refused"],
  [answered(429, "You exceeded your current quota", {}, '{"code":"insufficient_quota"}'), "model_refused"],
  [
    answered(400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
    "context_overflow",
  ],
  [answered(400, "max_tokens: must be at least 1"), "model_refused"],
  [answered(500, "maximum context length reached in our database"), "model_overloaded"],
  [new StreamBroken("broke off", { type: "overloaded_error", message: "Overloaded" }), "model_overloaded"],
  [new StreamBroken("broke off", { message: "prompt is too long: 3 > 2" }), "context_overflow"],
  [Object.assign(new Error("no files"), { name: "AI_UnsupportedFunctionalityError" }), "model_refused"],
  [new TypeError("terminated"), "model_overloaded"],
])("%s is %s", (error, code) => {
  expect(failureOf(error, context).code).toBe(code);
});

it.each([
  "the request exceeds the available context size",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Invalid request: Your request exceeded model token limit: 262144",
  "Prompt exceeds max length",
  "prompt token count of 140000 exceeds the limit of 128000",
  "Request payload size exceeds the limit: 20971520 bytes.",
  "The number of tokens to keep from the initial prompt is greater than the context length",
])("takes %j for too many tokens or bytes", (words) => {
  expect(failureOf(answered(400, words), context).code).toBe("context_overflow");
});

it.each([
  ["messages.2.content.0: this part is not accepted", "conversation"],
  ['messages: roles must alternate between "user" and "assistant"', "conversation"],
  ["messages.1.content.0: Invalid `signature` in `thinking` block", "conversation"],
  ["messages.3: `tool_use` ids were found without `tool_result` blocks immediately after", "conversation"],
  ["Invalid 'input[4].content[0].text': string too long", "conversation"],
  ["Item 'rs_1' of type 'reasoning' was provided without its required following item.", "conversation"],
  ["No tool output found for function call call_1.", "conversation"],
  ["* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.", "conversation"],
  [
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    "conversation",
  ],
  ["Function call is missing a thought_signature in functionCall parts.", "conversation"],
  ["Conversation roles must alternate user/assistant/user/assistant/...", "conversation"],
  ["messages.0.content.1.image.source.base64: image exceeds 5 MB maximum", "images"],
  ["Unable to process input image.", "images"],
  ["Your credit balance is too low to access the Anthropic API.", "request"],
  ["max_tokens: must be at least 1", "request"],
  ["tools.3.custom.input_schema: JSON schema is invalid", "request"],
  ["Invalid 'tools[3].function.name': string does not match pattern.", "request"],
  ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", "request"],
  ["Unrecognized request argument supplied: prompt_cache_key", "request"],
  [
    "* GenerateContentRequest.tools[0].function_declarations[1].parameters.required[0]: property is not defined",
    "request",
  ],
  ["Thinking level is not supported for this model.", "request"],
  ["The model `gpt-9` does not exist", "request"],
  ["Request contains an invalid argument.", undefined],
  ["Bad Request", undefined],
])("takes %j for a refusal of: %s", (words, about) => {
  expect(failureOf(answered(400, words), context).details.about).toBe(about);
});

it("shows the vendor's words on one line, short, and without anything like a key", () => {
  const error = answered(400, `bad\n\nkey ${SECRET} or sk-proj-abcdefghijklmnop1234 ${"x".repeat(2_000)}`);
  const { message } = failureOf(error, context);
  expect(message).toMatch(
    /^p\/m: the provider refused the request \(400\)\. bad key \[key\] or \[key\] x+…$/,
  );
  expect(message.length).toBeLessThan(500);
});
