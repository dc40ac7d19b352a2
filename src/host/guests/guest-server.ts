/** The tools of the board and the mailboxes as an MCP server, for any transport. It speaks the revision of 2026-07-28 and those before it. */
import { type CallToolResult, type McpServerFactory, Server } from "@modelcontextprotocol/server";
import manifest from "../../../package.json" with { type: "json" };
import { messageOf } from "../../core/errors.ts";
import { insteadOf } from "../../core/tool-names.ts";
import type { ToolSpec } from "../../ports/index.ts";
import { guestTools, idling, isGuestTool, isIdle } from "../guest-tools.ts";
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

/** `guestOf`: the member of a connection or a request; gets the name that the client gives itself. */
export function guestServer(
  { team, planDeadlineMs }: { team: string; planDeadlineMs: number },
  guestOf: (client: string, request: Request | undefined) => Guest,
): McpServerFactory {
  const specs = [WAIT, ...guestTools("teammate", planDeadlineMs)];
  return ({ requestInfo }) =>
    serverOf(instructions(team), specs, async (server, name, given, signal) => {
      const guest = guestOf(server.getClientVersion()?.name ?? "", requestInfo);
      const waits = name === WAIT.name || isIdle(name);
      let input = given;
      try {
        if (waits) input = idling(name, given);
      } catch (error) {
        return resultOf({ text: messageOf(error), isError: true });
      }
      if (waits) return resultOf(await guest.wait(input, signal));
      if (!isGuestTool(name, input)) return resultOf(noTool(name, specs));
      return resultOf(await guest.call(name, input, signal));
    });
}

const noTool = (name: string, specs: readonly ToolSpec[]): Said => ({
  text: `There is no tool ${name}. ${insteadOf(name) ?? `There are: ${specs.map((one) => one.name).join(", ")}.`}`,
  isError: true,
});

const resultOf = ({ text, isError }: Said): CallToolResult => ({
  content: [{ type: "text", text }],
  isError,
});

/** A server that cannot work yet: its one tool says what the person has to run. */
export function waitingServer(why: string): McpServerFactory {
  const text = `Ekiden cannot be used in this folder yet: ${why}\nTell the person. After that this MCP server must be started again.`;
  const spec: ToolSpec = {
    name: "what_to_run",
    description: `Says what the person has to run before you can join the team. ${why.split("\n")[0]}`,
    schema: { type: "object", properties: {} },
  };
  return () => serverOf(text, [spec], () => Promise.resolve(resultOf({ text, isError: false })));
}

type Call = (server: Server, tool: string, input: object, signal: AbortSignal) => Promise<CallToolResult>;

function serverOf(about: string, specs: readonly ToolSpec[], call: Call): Server {
  const server = new Server(
    { name: "ekiden", version: manifest.version },
    { capabilities: { tools: {} }, instructions: about },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: specs.map(({ name, description, schema }) => ({
      name,
      description,
      inputSchema: { type: "object" as const, ...schema },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    return call(server, name, input, context.mcpReq.signal);
  });
  return server;
}
