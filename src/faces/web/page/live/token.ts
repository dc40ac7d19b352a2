/**
 * The token of this page. It comes in the printed address behind `#`, which no browser sends, and stays in the tab's
 * `sessionStorage`, which belongs to this server's address and port alone: a cookie would go to every server on this machine. A
 * further tab of the same server asks those that are open.
 */
const KEY = "ekiden-token";
const IN_ADDRESS = /[#?&]token=([\w.~-]+)/;
/** Another tab answers in a few milliseconds, also one in the background. */
const WAIT_MS = 1_000;

/** Takes the token out of the address, so that neither the history nor a copied address has it. */
export function takeToken(): void {
  const found = IN_ADDRESS.exec(location.hash)?.[1] ?? IN_ADDRESS.exec(location.search)?.[1];
  if (found === undefined) return;
  sessionStorage.setItem(KEY, found);
  history.replaceState(null, "", location.pathname);
}

const channel = new BroadcastChannel(KEY);
channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const own = sessionStorage.getItem(KEY);
  if (data === null && own !== null) channel.postMessage(own);
});

/** "" where no tab has one. */
export async function token(): Promise<string> {
  const own = sessionStorage.getItem(KEY);
  if (own !== null) return own;
  const found = await new Promise<string>((resolve) => {
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (typeof data === "string") resolve(data);
    });
    setTimeout(() => resolve(""), WAIT_MS);
    channel.postMessage(null);
  });
  if (found !== "") sessionStorage.setItem(KEY, found);
  return found;
}
