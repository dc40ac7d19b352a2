/** The names of the models that a provider offers, as it lists them itself. Nothing depends on its answer, which is kept for ten minutes. */
import { systemClock } from "../clock.ts";
import type { Vendor, Whereabouts } from "./vendor.ts";

const TIME_MS = 2_000;
const FRESH_MS = 600_000;
const BYTES_MAX = 4_000_000;

type Listing = { readonly path: string; readonly headers: (key: string) => Record<string, string> };

const bearer = (key: string): Record<string, string> => (key ? { authorization: `Bearer ${key}` } : {});
/** The path behind the address of each provider; any other service has /models, as for chat completions. */
const LISTINGS: Readonly<Record<string, Listing | null>> = {
  anthropic: {
    path: "/v1/models?limit=1000",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  openai: { path: "/v1/models", headers: bearer },
  ollama: { path: "/v1/models", headers: bearer },
  google: { path: "/models?pageSize=1000", headers: (key) => ({ "x-goog-api-key": key }) },
  // Their lists are of a whole cloud, at other addresses and with other rights.
  azure: null,
  bedrock: null,
  vertex: null,
};
const CHAT: Listing = { path: "/models", headers: bearer };

const kept = new Map<string, { readonly at: number; readonly names: readonly string[] }>();

/** Null where the provider has no list, or does not give it in time. Names without the provider, sorted. */
export async function modelsOffered(vendor: Vendor, where: Whereabouts): Promise<readonly string[] | null> {
  try {
    const { [vendor.name]: listing = CHAT } = LISTINGS;
    const address = vendor.address(where);
    if (listing === null || address === null) return null;
    const key = (where.env[vendor.keyVariable] ?? "").split(",")[0]?.trim() ?? "";
    const known = kept.get(`${address} ${key}`);
    if (known && systemClock.uptime() - known.at < FRESH_MS) return known.names;
    const names = await asked(`${address}${listing.path}`, listing.headers(key));
    if (names.length > 0) kept.set(`${address} ${key}`, { at: systemClock.uptime(), names });
    return names.length > 0 ? names : null;
  } catch {
    return null;
  }
}

async function asked(url: string, headers: Record<string, string>): Promise<readonly string[]> {
  const { httpFetch } = await import("./http.ts");
  const response = await httpFetch(url, { headers, signal: AbortSignal.timeout(TIME_MS) });
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    chunks.push(piece.value);
    bytes += piece.value.length;
    if (bytes > BYTES_MAX) throw new Error("the list is too long");
  }
  if (!response.ok) return [];
  const { data, models } = JSON.parse(Buffer.concat(chunks).toString()) as Answer;
  const names = [
    ...(data ?? []).map(({ id }) => id),
    ...(models ?? [])
      .filter(({ supportedGenerationMethods: can }) => can?.includes("generateContent") ?? true)
      .map(({ name }) => name?.replace(/^models\//, "")),
  ];
  return [...new Set(names.filter((name) => typeof name === "string" && /^[\w.:@/-]{1,200}$/.test(name)))]
    .map(String)
    .sort();
}

type Answer = {
  readonly data?: readonly { readonly id?: string }[];
  readonly models?: readonly {
    readonly name?: string;
    readonly supportedGenerationMethods?: readonly string[];
  }[];
};
