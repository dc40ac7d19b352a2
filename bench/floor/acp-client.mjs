/** The smallest client of the Agent Client Protocol: `node acp-client.mjs AGENT`, then `prompts N` on stdin. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const child = spawn(process.execPath, [process.argv[2]], { stdio: ["pipe", "pipe", "inherit"] });
const app = client({ name: "smallest" }).onNotification(methods.client.session.update, () => {});
const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await agent.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });

for await (const line of createInterface(process.stdin)) {
  const ms = [];
  for (let nth = 0; nth < Number(line.split(" ")[1]); nth += 1) {
    const since = performance.now();
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "Well?" }],
    });
    ms.push(performance.now() - since);
  }
  console.log(JSON.stringify({ ms }));
}
child.kill();
process.exit();
