/** The source of the page's answers: the server, or the recording that it is itself. */
import type { Event } from "../../../../core/event.ts";
import type { MemberRow } from "../../../../core/picture/member.ts";
import type { LiveOutput } from "../../../../core/text/live-output.ts";
import type { Act, Acted, Recording } from "../../wire.ts";
import { BASE } from "../route.ts";
import { type Connection, type Heard, listen } from "./listen.ts";
import { takeToken, token } from "./token.ts";

export type Listener = {
  facts(events: readonly Event[]): void;
  /** The whole output of commands at this moment. */
  output(now: readonly LiveOutput[]): void;
  /** The members, after a process of one of them began or ended. */
  members(rows: readonly MemberRow[]): void;
  /** Too much was missed: begin again. */
  reset(): void;
  connection(now: Connection): void;
};

export interface Source {
  /** Null for a server. */
  readonly recording: Recording | null;
  /** @throws Error with the server's sentence */
  get<T>(path: string, query?: Readonly<Record<string, string | number>>): Promise<T>;
  act(team: string, act: Act): Promise<Acted>;
  /** Makes or ends the link for other people. */
  changeLink(team: string, change: object): Promise<Acted>;
  /** @throws Error with the server's sentence */
  file(path: string): Promise<Blob>;
  /** Ends with the returned function. */
  listen(team: string, from: string, to: Listener): () => void;
}

/** An answer of the server that is not the one that was wanted. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A server that stands still is told, not waited for without a word. */
const LIMIT_MS = 30_000;
const ACT_LIMIT_MS = 20_000;

/** Every request shows the token in a header. */
const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${BASE}/api/${path}`, {
    signal: AbortSignal.timeout(LIMIT_MS),
    ...init,
    headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${await token()}` },
  });

async function post(path: string, body: object): Promise<Acted> {
  try {
    const answer = await ask(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ACT_LIMIT_MS),
    });
    if (answer.ok) return (await answer.json()) as Acted;
    return { ok: false, code: String(answer.status), text: await textOf(answer) };
  } catch (error) {
    if ((error as Error).name === "TimeoutError")
      return {
        ok: false,
        code: "timeout",
        text: `The server has not answered for ${ACT_LIMIT_MS / 1_000} seconds. It may still finish: check before you try again.`,
      };
    return { ok: false, code: "offline", text: "The server cannot be reached. Nothing was changed." };
  }
}

const AWAY = "The page's server does not answer. It is asked again when it is back.";
const NO_ACT: Acted = { ok: false, code: "recording", text: "This is a recording: nothing can be changed." };

const server: Source = {
  recording: null,
  async get<T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> {
    const pairs = Object.entries(query).map(([key, value]) => [key, String(value)] as [string, string]);
    const search = new URLSearchParams(pairs).toString();
    const answer = await ask(`${path}${search && `?${search}`}`).catch(() => {
      throw new Error(AWAY);
    });
    if (answer.ok) return (await answer.json()) as T;
    throw new Refused(answer.status, await textOf(answer));
  },
  act: (team, act) => post(`${team}/act`, act),
  changeLink: (team, change) => post(`${team}/link`, change),
  async file(path) {
    const answer = await ask(path, { signal: null });
    if (answer.ok) return await answer.blob();
    throw new Refused(answer.status, await textOf(answer));
  },
  listen(team, from, to) {
    let isOver = false;
    let [place, shown] = [from, ""];
    let leave = (): void => {};
    const hear = (heard: Heard): void => {
      if (heard.is === "connection") {
        to.connection(heard.now);
        return;
      }
      const data = JSON.parse(heard.data);
      if (heard.id) place = heard.id;
      if (heard.event === "message") to.facts(data);
      else if (heard.event === "output") to.output(data);
      else if (heard.event === "members") to.members(data);
      else if (heard.event === "reset") to.reset();
    };
    void token().then((found) => {
      shown = found;
      const base = new URL(`${BASE}/api`, location.href).href;
      if (!isOver) leave = listen(() => ({ base, team, from: place, token: shown }), hear);
    });
    return () => {
      isOver = true;
      leave();
    };
  },
};

async function textOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return (JSON.parse(text) as { text?: string }).text ?? text;
  } catch {
    return text.trim() || `The server answered ${answer.status}.`;
  }
}

function recorded(recording: Recording): Source {
  return {
    recording,
    get<T>(path: string): Promise<T> {
      const key = path.replace(/^[^/]+\//, "");
      const answer = recording.answers[path === "teams" ? path : key];
      if (answer !== undefined) return Promise.resolve(answer as T);
      return Promise.reject(new Refused(404, "This recording does not hold it."));
    },
    act: () => Promise.resolve(NO_ACT),
    changeLink: () => Promise.resolve(NO_ACT),
    file: () => Promise.reject(new Refused(404, "This recording does not hold it.")),
    listen: () => () => {},
  };
}

export function openSource(): Source {
  // Outside of a browser a component is drawn to text, and asks for nothing.
  if (!globalThis.document) return server;
  const data = document.getElementById("recording");
  if (data) return recorded(JSON.parse(data.textContent ?? "") as Recording);
  takeToken();
  // The printed address in a tab that shows the page already.
  addEventListener("hashchange", () => {
    if (!location.hash.includes("token=")) return;
    takeToken();
    location.reload();
  });
  return server;
}
