/** From a spec such as "anthropic/claude-…" to a `Model`. Adding a provider: one file in `vendors/`, one line in `VENDORS`. */

import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { AGENT_NAMES, agentLine, modelSpec } from "../../core/settings/agent-line.ts";
import { splitEffort } from "../../core/settings/effort.ts";
import { capabilitiesOf, type ModelSetting } from "../../core/settings/models.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Model } from "../../ports/model.ts";
import { RateLimitGate } from "./rate-limit-gate.ts";
import { retrying } from "./retrying.ts";
import { type Keyed, rotating } from "./rotating.ts";
import type { Environment, Vendor, Whereabouts } from "./vendor.ts";
import { connectedModel } from "./vendor-model.ts";
import { anthropic } from "./vendors/anthropic.ts";
import { google } from "./vendors/google.ts";
import { NAMED_SERVICES } from "./vendors/named.ts";
import { ollama, ollamaModel } from "./vendors/ollama.ts";
import { openai } from "./vendors/openai.ts";
import { openaiCompatible } from "./vendors/openai-compatible.ts";
import { watchedFetch } from "./watchdog.ts";

/** In the order in which a key in the environment decides. */
const VENDORS: readonly Vendor[] = [anthropic, openai, google, ollama, openaiCompatible, ...NAMED_SERVICES];

/** For `doctor`. */
export type Provider = Pick<Vendor, "name" | "keyVariable" | "address" | "defaultModel">;
export const PROVIDERS: readonly Provider[] = VENDORS;

/** The models of a provider by their names, sorted; null where it does not tell. It never fails, and takes at most two seconds. */
export async function modelsOf(provider: string, where: Whereabouts): Promise<readonly string[] | null> {
  const vendor = VENDORS.find(({ name }) => name === provider);
  return vendor ? await (await import("./offered.ts")).modelsOffered(vendor, where) : null;
}

/** "provider/name" of all that can be used: what the providers in use list, and those whose key is there. */
export async function modelsOffered(
  inUse: ReadonlySet<string>,
  { env, baseUrl }: Whereabouts,
): Promise<readonly string[]> {
  const usable = VENDORS.filter(
    ({ name, keyVariable }) => inUse.has(name) || (keyVariable !== "" && env[keyVariable]),
  );
  const lists = usable.map(async ({ name, defaultModel }) => {
    // The address belongs to the provider in use: no other key goes there.
    const names = await modelsOf(name, { env, baseUrl: inUse.has(name) ? baseUrl : "" });
    return (names ?? (defaultModel && !inUse.has(name) ? [defaultModel] : [])).map(
      (model) => `${name}/${model}`,
    );
  });
  return (await Promise.all(lists)).flat();
}

export type OpenModelOptions = {
  readonly env: Environment;
  readonly clock: Clock;
  readonly random?: () => number;
  /** From `--base-url` or the settings. */
  readonly baseUrl?: string | undefined;
  /** A call without a byte for this long is given up and tried again. Default 120,000. */
  readonly stallMs?: number;
  /** The same for a caller with a fallback, before the first byte. Default 30,000. */
  readonly fallbackSilenceMs?: number;
  /** The longest time without a piece of the reply. Default 10 minutes. */
  readonly progressMs?: number;
  /** The same for a caller with a fallback. Default 120,000. */
  readonly fallbackContentMs?: number;
  /** Where the images of the person are; without it a text takes their place. */
  readonly outputDir?: string | undefined;
  /** The person's settings of models, by "provider/name". */
  readonly models?: Readonly<Record<string, ModelSetting>> | undefined;
  /** Calls made for one reply; see `retrying`. */
  readonly attempts?: number;
  readonly maxWaitMs?: number;
};

/** One gate for each provider, key and model in this process: a fallback must not wait behind the main model. */
const gates = new Map<string, RateLimitGate>();

/**
 * Opens a model, with the retry policy around it. Nothing is sent yet. Open a spec once and share the model. A level of effort at
 * its end ("…@high") counts for requests that name none.
 * @throws EkidenError `model_missing` for an unknown provider or a missing address or script, `model_auth` for a missing key
 */
export async function openModel(wanted: string, options: OpenModelOptions): Promise<Model> {
  const { model: spec, effort } = splitEffort(wanted);
  if (spec === "runbook") return (await import("./runbook.ts")).runbookModel();
  if (spec.startsWith("scripted:"))
    return (await import("./scripted.ts")).scriptedFile(spec.slice("scripted:".length));
  const { vendor, name } = await vendorOf(spec, options.env);
  const [first, ...more] = keysOf(options.env[vendor.keyVariable]);
  const withKey = (key: string | undefined): Promise<Keyed> =>
    keyed({ vendor, name, effort, key, ...options });
  return rotating([await withKey(first), ...(await Promise.all(more.map(withKey)))]);
}

/** @throws as `openModel` */
async function vendorOf(spec: string, env: Environment): Promise<{ vendor: Vendor; name: string }> {
  const slash = spec.indexOf("/");
  const provider = slash === -1 ? spec : spec.slice(0, slash);
  const vendor = VENDORS.find(({ name }) => name === provider);
  if (!vendor) throw unknown(spec, provider);
  const name =
    (slash === -1 ? "" : spec.slice(slash + 1)) ||
    vendor.defaultModel ||
    (vendor === ollama ? await ollamaModel(env) : null);
  if (!name)
    throw new EkidenError("model_missing", `${quote(spec)} names no model. Write ${vendor.name}/MODEL.`);
  if (vendor.keyVariable && !env[vendor.keyVariable])
    throw new EkidenError("model_auth", `${vendor.name}/${name} needs a key: set ${vendor.keyVariable}.`);

  return { vendor, name };
}

type KeyedOptions = OpenModelOptions & {
  readonly vendor: Vendor;
  readonly name: string;
  readonly effort: ReturnType<typeof splitEffort>["effort"];
  /** Undefined: the service needs none. */
  readonly key: string | undefined;
};

/** The model with one of the keys. */
async function keyed({ vendor, name, effort, key, ...options }: KeyedOptions): Promise<Keyed> {
  const { env, clock, random = Math.random, baseUrl = "", stallMs = 120_000, progressMs = 600_000 } = options;
  const { fallbackSilenceMs = 30_000, fallbackContentMs = 120_000, outputDir, attempts, maxWaitMs } = options;
  const spec = `${vendor.name}/${name}`;
  const known = options.models?.[spec];
  const capabilities = capabilitiesOf(name, known);
  const fields = known?.options;
  const connection = await vendor.connect(name, {
    ...{ baseUrl, capabilities, fields, window: known?.window },
    env: key === undefined ? env : { ...env, [vendor.keyVariable]: key },
    fetch: fields ? withFields(fields) : watchedFetch,
  });
  const connected = connectedModel(connection, {
    ...{ spec, name, capabilities, known, effort, outputDir, keyVariable: vendor.keyVariable },
    patience: { silenceMs: stallMs, contentMs: progressMs },
    fallbackPatience: {
      silenceMs: fallbackSilenceMs,
      begunMs: fallbackContentMs,
      contentMs: fallbackContentMs,
    },
  });
  const gateKey = `${connection.address} ${connection.secret} ${name}`;
  const gate = gates.get(gateKey) ?? new RateLimitGate();
  gates.set(gateKey, gate);
  const how = { clock, random, gate, ...(maxWaitMs !== undefined && { maxWaitMs }) };
  return {
    model: retrying(connected, { ...how, ...(attempts !== undefined && { attempts }) }),
    once: retrying(connected, { ...how, attempts: 1 }),
    isFree: () => gate.open || gate.until <= clock.now(),
  };
}

/** A variable may hold several keys, with commas between them. */
const keysOf = (value: string | undefined): string[] =>
  (value ?? "")
    .split(",")
    .map((key) => key.trim())
    .filter(Boolean);

/** Adds fields of the person to the body of each request. */
const withFields =
  (fields: Readonly<Record<string, unknown>>): typeof globalThis.fetch =>
  (input, init) =>
    watchedFetch(
      input,
      typeof init?.body === "string"
        ? { ...init, body: JSON.stringify({ ...(JSON.parse(init.body) as object), ...fields }) }
        : init,
    );

export type Choice = {
  readonly env: Environment;
  /** The setting `model`, from a flag, a variable or a file. */
  readonly setting?: string | undefined;
  /** A runbook file will run, so the runbook model is enough when there is no other. */
  readonly runbook?: boolean;
};

/**
 * Chooses the spec: the setting, EKIDEN_MODEL (for callers that do not read variables into settings), the first provider with a
 * key in the environment, an Ollama that answers, `runbook` for a runbook file. @throws EkidenError `model_missing` with what to set
 */
export async function chooseModel({ env, setting, runbook = false }: Choice): Promise<string> {
  const named = setting || env.EKIDEN_MODEL;
  if (named) return named;
  const keyed = VENDORS.find(
    ({ keyVariable, defaultModel }) => keyVariable && defaultModel && env[keyVariable],
  );
  if (keyed) return `${keyed.name}/${keyed.defaultModel}`;
  const local = await ollamaModel(env);
  if (local) return `ollama/${local}`;
  if (runbook) return "runbook";
  ollama.address({ env, baseUrl: "" }); // throws for an OLLAMA_HOST that is none
  const keys = VENDORS.flatMap(({ keyVariable, defaultModel }) => (defaultModel && keyVariable) || []).join(
    ", ",
  );
  throw new EkidenError(
    "model_missing",
    `No model is configured. Set one of ${keys}; or start Ollama; or name a model with --model or EKIDEN_MODEL, such as anthropic/${anthropic.defaultModel}. A runbook file (ekiden run FILE.md) needs no model.`,
  );
}

function unknown(spec: string, provider: string): EkidenError {
  if (agentLine(modelSpec(spec)))
    return new EkidenError(
      "model_missing",
      `${quote(spec)} is an agent program, which a member can use as its model only from its start (--lead, --model, --teammate NAME@PROGRAM). Here, give provider/model.`,
    );
  const names = [...VENDORS.map(({ name }) => `${name}/…`), "runbook", "scripted:FILE"];
  const known = [...VENDORS.map(({ name }) => name), "runbook", "scripted", ...AGENT_NAMES];
  const bare = VENDORS.find(
    ({ defaultModel }) => defaultModel && spec.startsWith(defaultModel.split("-")[0] ?? "-"),
  );
  const hint = bare ? ` Did you mean "${bare.name}/${spec}"?` : didYouMean(provider, known);
  return new EkidenError(
    "model_missing",
    `${quote(spec)} is not a model that Ekiden knows.${hint} Known: ${names.join(", ")}; and the agent programs ${AGENT_NAMES.join(", ")}, or @acp:COMMAND.`,
  );
}
