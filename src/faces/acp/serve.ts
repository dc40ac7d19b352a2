/** The Agent Client Protocol on stdin and stdout: the lead as the agent of an editor. */
import { Readable, Writable } from "node:stream";
import {
  type AgentApp,
  type AgentContext,
  agent,
  type InitializeRequest,
  type InitializeResponse,
  methods,
  ndJsonStream,
  RequestError,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import manifest from "../../../package.json" with { type: "json" };
import type { Name } from "../../core/ids.ts";
import { MODE_WORDS, MODES, type Mode } from "../../core/permission/mode.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { Editor } from "./editor.ts";
import type { TeamSession } from "./session.ts";
import { Sessions, told } from "./sessions.ts";

const MODE_NAMES: Readonly<Record<Mode, string>> = {
  plan: "Plan",
  default: "Ask",
  "accept-edits": "Accept edits",
  bypass: "Bypass",
};

export type ServeOptions = {
  /** For the team of a folder, as if the command had been started there. */
  readonly callFor: (cwd: string, team: Name) => Invocation;
  readonly signal: AbortSignal;
};

/** Resolves when the editor has closed stdin, and every team of this process has stopped with its state kept. */
export async function serveAcp({ callFor, signal }: ServeOptions): Promise<void> {
  const sessions = new Sessions(callFor);
  const app = agent({ name: "ekiden" });
  answerOpenings(app, sessions);
  answerSessions(app, sessions);
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(output, input));
  const ended = new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  await Promise.race([connection.closed.catch(() => {}), ended]);
  await sessions.closeAll();
  connection.close();
}

/** The beginning of the connection, and of its sessions. */
function answerOpenings(app: AgentApp, sessions: Sessions): void {
  let can = { hasForms: false, hasChildren: false };
  const editor = (client: AgentContext): Editor => ({ client, ...can });
  const opened = ({ mode }: TeamSession): { modes: SessionModeState } => ({ modes: modesOf(mode) });
  app
    // The stable types leave out what is not stable yet: that the client shows child sessions.
    .onRequest(methods.agent.initialize, asSent<InitializeRequest>, ({ params }) => {
      const { clientCapabilities: client } = params;
      const hasChildren = (client as { subagents?: unknown } | undefined)?.subagents != null;
      can = { hasForms: client?.elicitation?.form != null, hasChildren };
      return ABOUT;
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const session = await sessions.begin(params, editor(client), "new");
      return { sessionId: session.id, ...opened(session) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) =>
      opened(await sessions.begin(params, editor(client), "load")),
    )
    .onRequest(methods.agent.session.resume, async ({ params, client }) =>
      opened(await sessions.begin(params, editor(client), "resume")),
    );
}

/** What is done with sessions. */
function answerSessions(app: AgentApp, sessions: Sessions): void {
  app
    .onRequest(methods.agent.session.list, async ({ params: { cwd } }) => ({
      sessions: await sessions.list(cwd ?? null),
    }))
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      await sessions.close(sessionId);
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      await sessions.delete(sessionId);
      return {};
    })
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      const mode = MODES.find((one) => one === modeId);
      if (!mode)
        throw RequestError.invalidParams(undefined, `There is no mode "${modeId}": ${MODES.join(", ")}.`);
      await sessions.of(sessionId).useMode(mode).catch(told);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => ({
      stopReason: await sessions.of(params.sessionId).prompt(params).catch(told),
    }))
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      const session = sessions.of(sessionId);
      await session.cancel(sessionId === session.id ? null : sessionId);
    });
}

const ABOUT: InitializeResponse = {
  protocolVersion: 1,
  agentInfo: { name: "ekiden", title: "Ekiden", version: manifest.version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
  },
  authMethods: [],
};

const asSent = <T>(params: unknown): T => params as T;

const modesOf = (currentModeId: Mode): SessionModeState => ({
  currentModeId,
  availableModes: MODES.map((id) => ({ id, name: MODE_NAMES[id], description: MODE_WORDS[id] })),
});
