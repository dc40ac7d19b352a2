// The floor of an agent: ask, read the stream, run the command, ask again. No board, no mail, no record, no safety.
import { spawn } from "node:child_process";
import { request } from "node:http";

const input_schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ name: "bash", description: "Runs a command.", input_schema }];
const messages = [{ role: "user", content: "Go." }];

const ask = (body) =>
  new Promise((done, failed) => {
    const headers = { "content-type": "application/json", "x-api-key": "bench" };
    request(`${process.argv[2]}/v1/messages`, { method: "POST", headers }, done)
      .on("error", failed)
      .end(body);
  });

const run = (command) =>
  new Promise((done) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("close", () => done(output));
  });

for (;;) {
  const response = await ask(
    JSON.stringify({ model: "loopback", max_tokens: 4096, stream: true, tools, messages }),
  );
  const content = [];
  let [rest, json] = ["", ""];
  for await (const chunk of response.setEncoding("utf8")) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const event = JSON.parse(frame.slice(frame.indexOf("data: ") + 6));
      if (event.type === "content_block_start") [content[event.index], json] = [event.content_block, ""];
      if (event.delta?.type === "text_delta") content[event.index].text += event.delta.text;
      if (event.delta?.type === "input_json_delta") json += event.delta.partial_json;
      if (event.type === "content_block_stop" && json) content[event.index].input = JSON.parse(json);
    }
  }
  messages.push({ role: "assistant", content });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) break;
  const result = async ({ id, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: await run(input.command),
  });
  messages.push({ role: "user", content: await Promise.all(calls.map(result)) });
}
