/** Where the page's answers come from: the server, or the recording that it is itself. */
import type { Event } from "../../../core/event.ts";
import type { LiveOutput } from "../../../core/live-output.ts";
import type { Act, Acted, Recording } from "../wire.ts";

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

const server: Source = {
  recording: null,
  async get<T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> {
    const pairs = Object.entries(query).map(([key, value]) => [key, String(value)] as [string, string]);
    const search = new URLSearchParams(pairs).toString();
    const answer = await fetch(`/api/${path}${search && `?${search}`}`);
    if (answer.ok) return (await answer.json()) as T;
    throw new Refused(answer.status, await textOf(answer));
  },
  async act(team, act) {
    try {
      const answer = await fetch(`/api/${team}/act`, {
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
  listen(team, from, to) {
    let stream: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let place = from;
    const open = (): void => {
      stream = new EventSource(`/api/${team}/stream?from=${encodeURIComponent(place)}`);
      stream.onopen = () => to.connection({ is: "live" });
      stream.onmessage = ({ data, lastEventId }) => {
        if (lastEventId !== "") place = lastEventId;
        to.facts(JSON.parse(data));
      };
      stream.onerror = () => {
        to.connection({ is: "lost" });
        // The browser comes back by itself unless the server refused it, such as while it was started anew.
        if (stream?.readyState === EventSource.CLOSED) timer = setTimeout(open, 1_000);
      };
      stream.addEventListener("output", ({ data }) => to.output(JSON.parse(data)));
      stream.addEventListener("reset", () => to.reset());
      stream.addEventListener("trouble", ({ data }) =>
        to.connection({ is: "trouble", text: JSON.parse(data).text }),
      );
      stream.addEventListener("well", () => to.connection({ is: "live" }));
    };
    open();
    return () => {
      clearTimeout(timer);
      stream?.close();
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
    act: () =>
      Promise.resolve({ ok: false, code: "recording", text: "This is a recording: nothing can be changed." }),
    listen: () => () => {},
  };
}

export function openSource(): Source {
  const data = document.getElementById("recording");
  return data ? recorded(JSON.parse(data.textContent ?? "") as Recording) : server;
}
