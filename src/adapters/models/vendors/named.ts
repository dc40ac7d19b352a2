/**
 * Services by name that need no package of their own: those that speak chat completions, and the clouds, which speak the protocols
 * of OpenAI, Anthropic and Google at other addresses with other headers. A new service of the first kind is one line.
 */
import { EkidenError } from "../../../core/errors.ts";
import { forMoonshot } from "../schemas.ts";
import {
  type Connection,
  type ConnectOptions,
  type Vendor,
  type Whereabouts,
  withoutVersion,
} from "../vendor.ts";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";
import { connectCompatible, type Ways } from "./openai-compatible.ts";

/** Mistral takes ids of nine letters and digits only: those of other providers get one made of them. */
const nineLetters = (id: string): string => {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (const char of id) {
    a = Math.imul(a ^ char.charCodeAt(0), 0x01000193);
    b = Math.imul(b + char.charCodeAt(0), 0x85ebca6b) ^ (b >>> 13);
  }
  return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}zzzzzzzzz`.slice(0, 9);
};

type Service = readonly [name: string, keyVariable: string, address: string, ways?: Ways];

const MISTRAL: Ways = { thoughts: "omit", idOf: nineLetters, bridged: true, countsUnasked: true };
const MOONSHOT: Ways = { thoughts: "required", schemaOf: forMoonshot };

/** Unasked it leaves out the thoughts of earlier turns that come back to it. */
const ZAI: Ways = { fields: { thinking: { type: "enabled", clear_thinking: false } } };

const SERVICES: readonly Service[] = [
  ["openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", { details: true }],
  ["groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1", { thoughts: "omit" }],
  ["mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", MISTRAL],
  ["deepseek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", { thoughts: "required" }],
  ["xai", "XAI_API_KEY", "https://api.x.ai/v1"],
  ["moonshot", "MOONSHOT_API_KEY", "https://api.moonshot.ai/v1", MOONSHOT],
  ["zai", "ZAI_API_KEY", "https://api.z.ai/api/paas/v4", ZAI],
];

const trimmed = (url: string): string => url.replace(/\/+$/, "");

const service = ([name, keyVariable, usual, ways]: Service): Vendor => {
  const variable = `${name.toUpperCase()}_BASE_URL`;
  const address = ({ env, baseUrl }: Whereabouts): string => trimmed(baseUrl || env[variable] || usual);
  return {
    ...{ name, keyVariable, address, defaultModel: "" },
    connect: (model, options) =>
      connectCompatible(name, model, address(options), options, {
        secret: options.env[keyVariable] ?? "",
        ...ways,
      }),
  };
};

/** The same requests with another header for the key. */
const withKeyIn =
  (fetch: typeof globalThis.fetch, wrong: string, header: string, value: string): typeof globalThis.fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete(wrong);
    headers.set(header, value);
    return fetch(input, { ...init, headers });
  };

const needed = (env: ConnectOptions["env"], variable: string, example: string): string => {
  const value = env[variable];
  if (value) return value;
  throw new EkidenError("model_missing", `Set ${variable}, such as ${example}.`);
};

/** OpenAI's models at a resource of one's own. */
const azure: Vendor = {
  name: "azure",
  keyVariable: "AZURE_OPENAI_API_KEY",
  defaultModel: "",
  address: ({ env, baseUrl }) => {
    const url = baseUrl || env.AZURE_OPENAI_ENDPOINT;
    return url ? `${withoutVersion(url).replace(/\/openai$/, "")}/openai` : null;
  },
  async connect(model, options) {
    const address =
      azure.address(options) ?? needed(options.env, "AZURE_OPENAI_ENDPOINT", "https://NAME.openai.azure.com");
    const secret = options.env.AZURE_OPENAI_API_KEY ?? "";
    const fetch = withKeyIn(options.fetch, "authorization", "api-key", secret);
    const env = { OPENAI_API_KEY: secret };
    const connection = await openai.connect(model, { ...options, fetch, baseUrl: address, env });
    return { ...connection, searches: false };
  },
};

/** Claude over Anthropic's own protocol, all other models over chat completions. */
const bedrock: Vendor = {
  name: "bedrock",
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  defaultModel: "",
  address: ({ env, baseUrl }) =>
    trimmed(
      baseUrl || `https://bedrock-mantle.${env.AWS_REGION || env.AWS_DEFAULT_REGION || "us-east-1"}.api.aws`,
    ),
  async connect(model, options): Promise<Connection> {
    const secret = options.env.AWS_BEARER_TOKEN_BEDROCK ?? "";
    const address = bedrock.address(options) ?? "";
    if (!/claude/.test(model))
      return await connectCompatible("bedrock", model, `${address}/v1`, options, { secret });
    const env = { ANTHROPIC_API_KEY: secret };
    const capabilities = { ...options.capabilities, hearsSystem: false };
    const connection = await anthropic.connect(model, {
      ...options,
      ...{ capabilities, baseUrl: `${address}/anthropic`, env },
    });
    return { ...connection, searches: false };
  },
};

/** Gemini in a project of Google Cloud: with an API key, or with an access token and the project. */
const vertex: Vendor = {
  name: "vertex",
  keyVariable: "GOOGLE_VERTEX_API_KEY",
  defaultModel: "",
  address: ({ env, baseUrl }) => {
    if (baseUrl) return trimmed(baseUrl);
    const { GOOGLE_VERTEX_PROJECT: project, GOOGLE_VERTEX_LOCATION: place = "global" } = env;
    const host = place === "global" ? "aiplatform.googleapis.com" : `${place}-aiplatform.googleapis.com`;
    const where = project ? `projects/${project}/locations/${place}/` : "";
    return `https://${host}/v1/${where}publishers/google`;
  },
  async connect(model, options) {
    const secret = options.env.GOOGLE_VERTEX_API_KEY ?? "";
    const fetch = options.env.GOOGLE_VERTEX_PROJECT
      ? withKeyIn(options.fetch, "x-goog-api-key", "authorization", `Bearer ${secret}`)
      : options.fetch;
    const env = { GOOGLE_GENERATIVE_AI_API_KEY: secret };
    return await google.connect(model, { ...options, fetch, baseUrl: vertex.address(options) ?? "", env });
  },
};

export const NAMED_SERVICES: readonly Vendor[] = [...SERVICES.map(service), azure, bedrock, vertex];
