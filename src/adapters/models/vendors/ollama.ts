/** Ollama on this machine or at OLLAMA_HOST. */
import { once } from "node:events";
import { connect } from "node:net";
import { EkidenError } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { proxyFor } from "../../proxied.ts";
import { type Environment, type Vendor, type Whereabouts, withoutVersion } from "../vendor.ts";

const addressOf = ({ env, baseUrl }: Whereabouts): string => withoutVersion(baseUrl) || ollamaAddress(env);

export const ollama: Vendor = {
  name: "ollama",
  keyVariable: "",
  defaultModel: "",
  address: addressOf,
  async connect(model, options) {
    const { fields, window } = options;
    const to = { address: addressOf(options), model, context: window, fields };
    const { askOllama, loadedContext } = await import("../ollama-chat.ts");
    let loaded: number | undefined;
    return {
      // The model is loaded when the answer begins, also when the answer is that the conversation does not fit.
      ask: async (request, signal) => {
        try {
          return await askOllama(to, request, signal);
        } finally {
          loaded ??= await loadedContext(to);
        }
      },
      address: to.address,
      secret: "",
      loadedWindow: () => loaded,
    };
  },
};

/** Reads it as Ollama's own client does: the scheme and the port may be missing, and 0.0.0.0 means this machine. */
function ollamaAddress(env: Environment): string {
  const host = env.OLLAMA_HOST?.trim();
  if (!host) return "http://127.0.0.1:11434";
  const whole = /^https?:\/\//.test(host) ? host : `http://${host}`;
  if (!URL.canParse(whole))
    throw new EkidenError(
      "model_missing",
      `OLLAMA_HOST is not an address: ${quote(host)}. Set it to one such as 127.0.0.1:11434, or to nothing.`,
    );
  const url = new URL(whole);
  const port = url.port || (/:443$/.test(host) ? "443" : url.protocol === "https:" ? "443" : "11434");
  return `${url.protocol}//${url.hostname === "0.0.0.0" ? "127.0.0.1" : url.hostname}:${port}`;
}

/** The first model of a reachable Ollama, or null: no model, not running, or too slow to be on this machine. */
export async function ollamaModel(env: Environment, timeoutMs = 300): Promise<string | null> {
  try {
    const url = new URL(`${ollamaAddress(env)}/api/tags`);
    const signal = AbortSignal.timeout(timeoutMs);
    if (proxyFor(url) === null) await listens(url, signal);
    const { ask } = await import("../http.ts");
    const { text } = await ask(url, { method: "GET", signal });
    let body = "";
    for await (const chunk of text) body += chunk;
    const { models } = JSON.parse(body) as { models?: { name?: string }[] };
    return models?.[0]?.name ?? null;
  } catch {
    return null;
  }
}

/** Nothing listens on most machines: a connection that is refused costs a millisecond, and an HTTP client takes 25 to load. @throws then */
async function listens({ protocol, hostname, port }: URL, signal: AbortSignal): Promise<void> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
  });
  try {
    await once(socket, "connect", { signal });
  } finally {
    socket.destroy();
  }
}
