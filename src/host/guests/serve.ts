/** The tools of the board and the mailboxes over MCP, on stdin and stdout. */
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../../../package.json" with { type: "json" };
import type { ToolSpec } from "../../ports/index.ts";
import { guestTools } from "../guest-tools.ts";
import type { Guest, Said } from "./guest.ts";

const WAIT: ToolSpec = {
  name: "wait_for_work",
  description:
    "Join the team, or end your turn: returns your next task, which is claimed for you, or mail. waiting_for messages: you keep your task while waiting.",
  schema: {
    type: "object",
    properties: { waiting_for: { type: "string", enum: ["messages", "tasks", "nothing"] } },
  },
};

const instructions = (team: string): string =>
  `You are a teammate of the Ekiden team "${team}". Nobody assigns work. Call wait_for_work: it returns your next task or mail. Do the task with your own tools, in the folder that the task names as its workspace. Check it, then call complete_task with the outcome, fail_task with the evidence, or release_task. After that call wait_for_work again, until it says that you have left.`;

/** Resolves when the client has closed stdin. `guestOf`: called once, with the name that the client gives itself. */
export async function serve(
  team: string,
  planDeadlineMs: number,
  guestOf: (client: string) => Guest,
): Promise<void> {
  const specs = [WAIT, ...guestTools(planDeadlineMs)];
  let guest: Guest | null = null;
  const handle = serveStdio(() => {
    const server = new Server(
      { name: "ekiden", version: manifest.version },
      { capabilities: { tools: {} }, instructions: instructions(team) },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: specs.map(({ name, description, schema }) => ({
        name,
        description,
        inputSchema: { type: "object" as const, ...schema },
      })),
    }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      guest ??= guestOf(server.getClientVersion()?.name ?? "");
      const { name, arguments: input = {} } = params;
      return answer(await asked(guest, name, input, mcpReq.signal));
    });
    return server;
  });
  const asked = async (of: Guest, name: string, input: object, signal: AbortSignal): Promise<Said> => {
    if (name === WAIT.name) return await of.wait(input, signal);
    if (specs.some((one) => one.name === name)) return await of.call(name, input, signal);
    return {
      text: `There is no tool ${name}. There are: ${specs.map((one) => one.name).join(", ")}.`,
      isError: true,
    };
  };
  await new Promise((done) => process.stdin.once("end", done).once("close", done));
  await (guest as Guest | null)?.close();
  await handle.close();
}

const answer = ({ text, isError }: Said) => ({ content: [{ type: "text" as const, text }], isError });
