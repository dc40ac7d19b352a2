/** Where the page's answers come from: the server, or the recording that it is itself. */
import type { Event } from "../../../core/event.ts";
import type { LiveOutput } from "../../../core/live-output.ts";
import type { Act, Acted, Recording } from "../wire.ts";
import { BASE } from "./route.ts";
import { messagesIn } from "./stream.ts";
import { takeToken, token } from "./token.ts";

/** `lost`: no connection. `trouble`: the server cannot read its store; it says why. */
export type Connection =
  | { readonly is: "live" }
  | { readonly is: "lost" }
  | { readonly is: "trouble"; readonly text: string };
export type Listener = {
  facts(events: readonly Event[]): void;
  /** What commands print at this moment, all of it. */
  output(now: readonly LiveOutput[]): void;
  /** Too much was missed: begin anew. */
  reset(): void;
  connection(now: Connection): void;
};

export interface Source {
  /** Null for a server. */
  readonly recording: Recording | null;
  /** @throws Error with the server's sentence */
  get<T>(path: string, query?: Readonly<Record<string, string | number>>): Promise<T>;
  act(team: string, act: Act): Promise<Acted>;
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

const RETRY_MS = 500;

/** Every request shows the token in a header. */
const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${BASE}/api/${path}`, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${await token()}` },
  });

const server: Source = {
  recording: null,
  async get<T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> {
    const pairs = Object.entries(query).map(([key, value]) => [key, String(value)] as [string, string]);
    const search = new URLSearchParams(pairs).toString();
    const answer = await ask(`${path}${search && `?${search}`}`);
    if (answer.ok) return (await answer.json()) as T;
    throw new Refused(answer.status, await textOf(answer));
  },
  async act(team, act) {
    try {
      const answer = await ask(`${team}/act`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(act),
      });
      if (answer.ok) return (await answer.json()) as Acted;
      return { ok: false, code: String(answer.status), text: await textOf(answer) };
    } catch {
      return { ok: false, code: "offline", text: "The server cannot be reached. Nothing was changed." };
    }
  },
  async file(path) {
    const answer = await ask(path);
    if (answer.ok) return await answer.blob();
    throw new Refused(answer.status, await textOf(answer));
  },
  listen(team, from, to) {
    const ended = new AbortController();
    const { signal } = ended;
    let place = from;
    const follow = async (): Promise<void> => {
      const answer = await ask(`${team}/stream?from=${encodeURIComponent(place)}`, { signal });
      if (!answer.ok || !answer.body) throw new Refused(answer.status, await textOf(answer));
      to.connection({ is: "live" });
      for await (const { event, data, id } of messagesIn(answer.body)) {
        if (signal.aborted) return;
        if (id !== null && id !== "") place = id;
        if (event === "message") to.facts(JSON.parse(data));
        else if (event === "output") to.output(JSON.parse(data));
        else if (event === "reset") to.reset();
        else if (event === "trouble") to.connection({ is: "trouble", text: JSON.parse(data).text });
        else if (event === "well") to.connection({ is: "live" });
      }
    };
    const open = (): void => {
      const over = (): void => {
        if (signal.aborted) return;
        to.connection({ is: "lost" });
        setTimeout(open, RETRY_MS);
      };
      if (!signal.aborted) void follow().then(over, over);
    };
    open();
    return () => ended.abort();
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
    act: () =>
      Promise.resolve({ ok: false, code: "recording", text: "This is a recording: nothing can be changed." }),
    file: () => Promise.reject(new Refused(404, "This recording does not hold it.")),
    listen: () => () => {},
  };
}

export function openSource(): Source {
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
