/** Checks of models: each provider whose key is set is asked for one short reply, so that a wrong key or model shows here. */
import { systemClock } from "../../adapters/clock.ts";
import type { Provider } from "../../adapters/models/index.ts";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import type { Effort } from "../../core/settings/effort.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Invocation } from "../kit/invocation.ts";
import { type Finding, missing, ok, wrong } from "./finding.ts";

const PROBE_MS = 3_000;
/** The time in which a model must say one word. */
const REPLY_MS = 20_000;

/** The model that a run would use now. */
export async function chosenModel({ env, cwd }: Invocation, settings: Settings): Promise<Finding> {
  const name = "model";
  try {
    const [{ openModel }, { usualModel }] = await Promise.all([
      import("../../adapters/models/index.ts"),
      import("../../host/models/usual-models.ts"),
    ]);
    const { baseUrl = "", models } = settings;
    const { spec, said } = await usualModel({ settings, env, folder: cwd });
    if (agentLine(spec)) return ok(name, spec, said);
    // A missing key is said with its provider.
    return await openModel(spec, { env, clock: systemClock, baseUrl, models }).then(
      () => ok(name, spec),
      (error: unknown) =>
        isEkidenError(error, "model_missing") ? wrong(name, spec, messageOf(error)) : ok(name, spec),
    );
  } catch (error) {
    return missing(name, "none is configured", messageOf(error));
  }
}

/** Keys, addresses and models, read as a run reads them. */
export async function providers({ env }: Invocation, settings: Settings | null): Promise<Promise<Finding>[]> {
  const { PROVIDERS } = await import("../../adapters/models/index.ts");
  const effort = typeof settings?.effort === "string" ? settings.effort : undefined;
  const specs = [settings?.model ?? env.EKIDEN_MODEL, settings?.lead, settings?.fallbackModel];
  return PROVIDERS.flatMap((provider) => {
    const wanted = [...new Set(specs)].filter((spec) => spec?.split(/[/@]/)[0] === provider.name) as string[];
    // a service without a default model is used by name only
    const isOptional = provider.keyVariable !== "" && provider.defaultModel === "";
    if (isOptional && wanted.length === 0 && !env[provider.keyVariable]) return [];
    const given = wanted.length > 0 || provider.name === "openai-compatible" ? settings?.baseUrl : undefined;
    try {
      const address = provider.address({ env, baseUrl: given ?? "" });
      return address === null
        ? []
        : [
            checkProvider(provider, {
              address,
              baseUrl: given,
              env,
              wanted,
              effort,
              models: settings?.models,
            }),
          ];
    } catch (error) {
      return [Promise.resolve(wrong(`model: ${provider.name}`, messageOf(error)))];
    }
  });
}

type Probe = {
  readonly address: string;
  readonly baseUrl: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The models of this provider that the settings name. */
  readonly wanted: readonly string[];
  /** The one for all, where the settings name one. */
  readonly effort: Effort | undefined;
  readonly models: Settings["models"] | undefined;
};

async function checkProvider(
  { name, keyVariable: key, defaultModel }: Provider,
  probe: Probe,
): Promise<Finding> {
  const { address, env, wanted } = probe;
  const label = `model: ${name}`;
  const isWanted = wanted.length > 0;
  if (key !== "" && !env[key]) {
    const found = `${key} is not set`;
    return isWanted ? wrong(label, found, `Set ${key}, or choose another --model.`) : missing(label, found);
  }
  const set = key === "" ? "" : "key is set, ";
  if (!(await reach(address))) {
    const found = `${set}cannot be reached`;
    if (key === "" && !isWanted) return missing(label, found);
    return wrong(label, found, "Check the network, the proxy, and the address.");
  }
  // Without a key nothing is asked that nobody uses: a local model may take a minute to load.
  const specs = isWanted ? wanted : key === "" || defaultModel === "" ? [] : [name];
  const answers = await Promise.all(specs.map((spec) => answerOf(spec, probe)));
  const { modelsOf } = await import("../../adapters/models/index.ts");
  const offered = specs.length > 0 ? await modelsOf(name, { env, baseUrl: probe.baseUrl ?? "" }) : null;
  const faults = answers.flatMap((answer) => (typeof answer === "string" ? answer : []));
  if (faults.length > 0)
    return wrong(
      label,
      `${set}reachable, but ${faults.join("; ")}`,
      `Check ${key === "" ? "" : `${key} and `}the name of the model.${namesIn(offered)}`,
    );
  const small = answers.flatMap((answer) => (typeof answer === "object" && answer.small) || []);
  if (small.length > 0)
    return wrong(
      label,
      `${set}reachable, but ${small.join("; ")}`,
      `A member needs ${NEEDED} tokens or more. Give this model a "window" in the setting "models", such as 64000, and Ollama loads it with that; or start it with OLLAMA_CONTEXT_LENGTH=64000.`,
    );
  const effort = probe.effort === undefined ? "" : ` with effort ${probe.effort}`;
  const tried = specs.map((spec, i) => `, ${spec} answers in ${msOf(answers[i])} ms${effort}`).join("");
  const offers = offered === null ? "" : `, ${offered.length} models are offered`;
  return ok(label, `${set}reachable${tried}${offers}`);
}

const NAMES = 30;
/** Tokens of context in which a member can work through a small task. */
const NEEDED = 16_000;

type Answer = { readonly ms: number; readonly small: string };
const msOf = (answer: Answer | string | undefined): number => (typeof answer === "object" ? answer.ms : 0);

const namesIn = (offered: readonly string[] | null): string =>
  offered === null
    ? ""
    : ` It offers ${offered.slice(0, NAMES).join(", ")}${offered.length > NAMES ? ` and ${offered.length - NAMES} more` : ""}.`;

/** A text: the provider's words when it refuses. */
async function answerOf(spec: string, probe: Probe): Promise<string | Answer> {
  try {
    const { ms, window } = await oneWord(spec, probe);
    const small = window < NEEDED ? `${spec} is loaded with ${window} tokens of context only` : "";
    return { ms, small };
  } catch (error) {
    return messageOf(error).replace(/\.$/, "");
  }
}

/** Asks a model for one word, which costs about twenty tokens. @throws EkidenError as its provider refuses, or is silent */
async function oneWord(
  spec: string,
  { env, baseUrl, effort, models }: Probe,
): Promise<{ readonly ms: number; readonly window: number }> {
  const began = performance.now();
  const { openModel } = await import("../../adapters/models/index.ts");
  const model = await openModel(spec, {
    env,
    clock: systemClock,
    baseUrl,
    attempts: 1,
    stallMs: REPLY_MS,
    models,
  });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Say ok." }] }];
  const request = { system: "Answer with one word.", messages, tools: [], maxOutputTokens: 16, effort };
  try {
    await model.reply(request, { signal: AbortSignal.timeout(REPLY_MS) });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "TimeoutError") throw error;
    throw new EkidenError("model_overloaded", `${spec} did not answer within ${REPLY_MS / 1_000} s`);
  }
  return { ms: Math.round(performance.now() - began), window: model.window };
}

/** Whether anything answers at the address. */
async function reach(url: string): Promise<boolean> {
  try {
    const { httpFetch } = await import("../../adapters/models/http.ts");
    const response = await httpFetch(url, { method: "HEAD", signal: AbortSignal.timeout(PROBE_MS) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
