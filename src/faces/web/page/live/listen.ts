/**
 * The live journal for this tab: a connection that stays open while the tab is seen or notifies, else a question now and then. A browser opens
 * six connections to a server and no more, so only a few tabs at a time hold one; the others ask again and again. It does not know what
 * messages mean.
 */
import { isNotifying } from "./notifying.ts";
import { type Message, messagesIn } from "./stream.ts";

/** `lost`: no connection. `refused`: the server wants another token. `trouble`: the server cannot read its store; it says why. */
export type Connection =
  | { readonly is: "live" }
  | { readonly is: "lost" }
  | { readonly is: "refused" | "trouble"; readonly text: string };
/** Data is JSON. */
export type Heard =
  | ({ readonly is: "message" } & Message)
  | { readonly is: "connection"; readonly now: Connection };
type Ear = (heard: Heard) => void;

/** `base`: the address of the server's answers. */
export type Place = {
  readonly base: string;
  readonly team: string;
  readonly from: string;
  readonly token: string;
};

const RETRY_MS = 500;
/** The server is heard every 5 seconds. A proxy that swallows bytes keeps a dead connection open. */
const SILENT_MS = 12_000;
/** A clock that continues by more than this between two looks: the machine slept, and its connections may be dead without a word. */
const SLEPT_MS = 5_000;
const LOOK_MS = 1_000;
/** A tab that is hidden for longer gives its connection to others. */
const HIDDEN_MS = 5_000;
/** Tabs with a connection that stays open. All need connections for their questions too. */
const OPEN_MAX = 3;
/** Without such a connection: a tab that is seen, and one that is not. */
const [ASK_AGAIN_MS, ASK_SELDOM_MS] = [2_000, 10_000];

const isWanted = (): boolean => !document.hidden || isNotifying();

/** `placeNow`: where to continue. Ends with the returned function. */
export function listen(placeNow: () => Place, ear: Ear): () => void {
  const over = new AbortController();
  void run(placeNow, ear, over.signal);
  return () => over.abort();
}

async function run(placeNow: () => Place, ear: Ear, over: AbortSignal): Promise<void> {
  let is: Connection["is"] = "lost";
  const connected = (now: Connection): void => {
    is = now.is;
    ear({ is: "connection", now });
  };
  const hear = (message: Message): void => {
    if (message.event === "trouble")
      connected({ is: "trouble", text: (JSON.parse(message.data) as { text: string }).text });
    else if (message.event === "well") connected({ is: "live" });
    else if (message.event !== "beat") ear({ is: "message", ...message });
  };
  while (!over.aborted) {
    let wait = RETRY_MS;
    try {
      await withConnection(async (stays) => {
        await follow(placeNow(), stays, over, hear, () => is === "live" || connected({ is: "live" }));
        if (!stays) wait = isWanted() ? ASK_AGAIN_MS : ASK_SELDOM_MS;
        else if (isWanted()) connected({ is: "lost" });
      });
    } catch (error) {
      if (over.aborted) return;
      connected(error instanceof Unwelcome ? { is: "refused", text: error.message } : { is: "lost" });
    }
    await pause(wait, over);
  }
}

/** `stays`: it holds one of the few connections that stay open. The browser tells the tabs apart, where it is asked safely. */
async function withConnection(what: (stays: boolean) => Promise<void>): Promise<void> {
  if (!isWanted() || !navigator.locks) return await what(isWanted());
  for (let nth = 0; nth < OPEN_MAX; nth += 1) {
    const isOver = await navigator.locks.request(`ekiden-${nth}`, { ifAvailable: true }, async (lock) => {
      if (lock) await what(true);
      return lock !== null;
    });
    if (isOver) return;
  }
  await what(false);
}

/**
 * Reads until the connection ends, the tab is hidden, or, unless it stays, until all that was missed is told. @throws what the connection throws
 */
async function follow(
  { base, team, from, token }: Place,
  stays: boolean,
  over: AbortSignal,
  hear: (message: Message) => void,
  onLive: () => void,
): Promise<void> {
  const [silent, hidden] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([over, silent.signal, hidden.signal]);
  let [heardAt, lookedAt, wantedAt] = [Date.now(), Date.now(), Date.now()];
  const looking = setInterval(() => {
    const now = Date.now();
    if (isWanted()) wantedAt = now;
    if (stays && now - wantedAt > HIDDEN_MS) hidden.abort();
    if (now - lookedAt > SLEPT_MS || now - heardAt > SILENT_MS) silent.abort();
    lookedAt = now;
  }, LOOK_MS);
  try {
    const answer = await fetch(
      `${base}/${encodeURIComponent(team)}/stream?from=${encodeURIComponent(from)}${stays ? "" : "&once=1"}`,
      { signal, headers: { Authorization: `Bearer ${token}` } },
    );
    if (answer.status === 401 || answer.status === 403) throw new Unwelcome((await answer.text()).trim());
    if (!answer.ok || !answer.body) throw new Error(`The server answered ${answer.status}.`);
    onLive();
    for await (const message of messagesIn(answer.body)) {
      if (signal.aborted) return;
      heardAt = Date.now();
      hear(message);
    }
  } catch (error) {
    if (!hidden.signal.aborted) throw error;
  } finally {
    clearInterval(looking);
  }
}

class Unwelcome extends Error {}

/** Ends sooner when the tab is seen again. */
const pause = (ms: number, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
      over.removeEventListener("abort", done);
      resolve();
    };
    const seen = (): void => void (document.hidden || done());
    const timer = setTimeout(done, ms);
    document.addEventListener("visibilitychange", seen);
    over.addEventListener("abort", done);
  });
