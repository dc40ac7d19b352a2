/** The smallest agent program that speaks the Agent Client Protocol: it answers each prompt with one word. */
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const app = agent({ name: "smallest" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "one" }))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId }, client }) => {
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Yes." } },
    });
    return { stopReason: "end_turn" };
  })
  .onNotification(methods.agent.session.cancel, () => {});

await app
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
  .closed.catch(() => {});
process.exit();
