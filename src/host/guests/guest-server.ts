/** The tools of the board and the mailboxes as an MCP server, for any transport. It speaks the revision of 2026-07-28 and those before it. */
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type McpServerFactory,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import manifest from "../../../package.json" with { type: "json" };
import { messageOf } from "../../core/errors.ts";
import { insteadOf } from "../../core/tool-names.ts";
import type { ToolSpec } from "../../ports/index.ts";
import { guestTools, idling, isGuestTool, isIdle } from "../guest-tools.ts";
import type { Guest, Said } from "./guest.ts";
import { formOf } from "./guest-questions.ts";
import { TASKS, WaitTasks } from "./wait-tasks.ts";

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

export type GuestServer = {
  readonly make: McpServerFactory;
  /** Ends calls that are polled. */
  close(): void;
};

/**
 * `guestOf`: the member of a connection or a request; gets the name that the client gives itself. `asks`: the client sits in front of
 * the person, so questions of the member are put to it.
 */
export function guestServer(
  { team, planDeadlineMs, asks }: { team: string; planDeadlineMs: number; asks: boolean },
  guestOf: (client: string, request: Request | undefined) => Guest,
): GuestServer {
  const specs = [WAIT, ...guestTools(planDeadlineMs)];
  const tasks = new WaitTasks();
  const make: McpServerFactory = ({ requestInfo }) => {
    const owner = requestInfo === undefined ? "" : new URL(requestInfo.url).pathname;
    const call: Call = async (server, name, given, context) => {
      const { signal, inputResponses } = context.mcpReq;
      const guest = guestOf(server.getClientVersion()?.name ?? "", requestInfo);
      const waits = name === WAIT.name || isIdle(name);
      let input = given;
      try {
        if (waits) input = idling(name, given);
      } catch (error) {
        return resultOf({ text: messageOf(error), isError: true });
      }
      if (waits && can(context, server, isPolling))
        return tasks.begin(owner, async (over) => resultOf(await untilNews(guest, input, over)));
      if (!waits && !isGuestTool(name, input)) return resultOf(noTool(name, specs));
      const isAnswer = asks && inputResponses !== undefined;
      const said = isAnswer
        ? await guest.answer(inputResponses, signal)
        : waits
          ? await guest.wait(input, signal)
          : await guest.call(name, input, signal);
      const question = asks && can(context, server, showsForms) ? await guest.question(said) : null;
      const form = question && formOf(question);
      if (!form) return resultOf(said);
      return inputRequired({ inputRequests: { [question.id]: inputRequired.elicit({ ...form }) } });
    };
    const server = serverOf(instructions(team), specs, call, { [TASKS]: {} });
    tasks.serve(server, owner, (context) => can(context, server, isPolling));
    return server;
  };
  return { make, close: () => tasks.close() };
}

/** A client that polls needs no answer in time. */
async function untilNews(guest: Guest, input: object, over: AbortSignal): Promise<Said> {
  for (;;) {
    const said = await guest.wait(input, over);
    if (said.isNothing !== true || over.aborted) return said;
  }
}

const noTool = (name: string, specs: readonly ToolSpec[]): Said => ({
  text: `There is no tool ${name}. ${insteadOf(name) ?? `There are: ${specs.map((one) => one.name).join(", ")}.`}`,
  isError: true,
});

const resultOf = ({ text, isError }: Said): CallToolResult => ({
  content: [{ type: "text", text }],
  isError,
});

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
type Can = {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown };
  readonly extensions?: Readonly<Record<string, unknown>>;
};
const isPolling = ({ extensions }: Can): boolean => extensions?.[TASKS] !== undefined;
/** Older clients say only that they can ask. */
const showsForms = ({ elicitation: forms }: Can): boolean =>
  forms !== undefined && (forms.form !== undefined || forms.url === undefined);

/** In the revision of 2026-07-28 each request says what its client can do. */
function can({ mcpReq }: ServerContext, server: Server, how: (can: Can) => boolean): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const said = envelope ? envelope[CAPABILITIES] : server.getClientCapabilities();
  return how((said ?? {}) as Can);
}

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

type Call = (
  server: Server,
  tool: string,
  input: object,
  context: ServerContext,
) => Promise<CallToolResult | InputRequiredResult>;

function serverOf(
  about: string,
  specs: readonly ToolSpec[],
  call: Call,
  extensions: ServerCapabilities["extensions"] = {},
): Server {
  const server = new Server(
    { name: "ekiden", version: manifest.version },
    { capabilities: { tools: {}, extensions }, instructions: about },
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
    return call(server, name, input, context);
  });
  return server;
}
