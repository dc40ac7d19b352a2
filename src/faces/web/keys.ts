/** The keys of providers as the owner of the page gives them: kept for this user of the machine, and never sent back. */
import { z } from "zod";
import { PROVIDERS, type Provider } from "../../adapters/models/index.ts";
import { badInput, isEkidenError, messageOf, notPermitted } from "../../core/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { checkKey, keepKey, keptKeys, keysFile } from "../../project/kept-keys.ts";
import { type Access, isLoopback } from "./access.ts";
import type { Acted, ProviderKeys } from "./wire.ts";

const KEYED = PROVIDERS.filter(({ keyVariable }) => keyVariable !== "");

/** Nobody on the way can read a key: the page is this machine's alone, or comes over TLS. */
export const isPrivate = ({ host, behind }: Pick<Access, "host" | "behind">): boolean =>
  behind ? behind.origin.startsWith("https://") : isLoopback(host);

/** Names only. */
export function providerKeys(access: Access, env: NodeJS.ProcessEnv): ProviderKeys {
  const kept = keptKeys();
  return {
    mayKeep: isPrivate(access),
    providers: KEYED.map(({ name, keyVariable: variable }) => ({
      name,
      variable,
      has: kept[variable] ? "kept" : env[variable] ? "environment" : "",
    })),
  };
}

const CHANGE = z.strictObject({ provider: z.string(), key: z.string().nullable() });
/** The page waits longer. */
const CHECK_MS = 12_000;

/** A key is kept once its provider has answered with it, or cannot be asked. @throws EkidenError */
export async function changeKey(access: Access, { settings, env }: Asking, body: unknown): Promise<Acted> {
  const { data } = CHANGE.safeParse(body);
  const provider = KEYED.find(({ name }) => name === data?.provider);
  if (!data || !provider) throw badInput("That is no key of a provider that Ekiden knows.");
  if (!isPrivate(access))
    throw notPermitted(
      "This page is not encrypted, so it takes no key. Open it on the machine itself, or over https with --origin.",
    );
  const { name, keyVariable: variable } = provider;
  if (data.key === null) {
    keepKey(variable, null);
    return { ok: true, text: `The key of ${name} is forgotten.` };
  }
  const key = data.key.trim();
  checkKey(key);
  const said = await answerWith(provider, { settings, env: { ...env, [variable]: key } });
  keepKey(variable, key);
  return { ok: true, text: `The key of ${name} is kept in ${keysFile()}, for you alone. ${said}` };
}

type Asking = { readonly settings: Settings; readonly env: NodeJS.ProcessEnv };

/** The provider's answer to one small request with the key. @throws EkidenError `bad_input` where it refuses the key */
async function answerWith({ name, defaultModel }: Provider, { settings, env }: Asking): Promise<string> {
  const { model = "", baseUrl, models } = settings;
  const isChosen = model.split(/[/@]/)[0] === name;
  if (!isChosen && defaultModel === "")
    return `It was not tried: ${name} has no model of its own choice here. Write one as the model, such as ${name}/NAME.`;
  const spec = isChosen ? model : name;
  try {
    const { oneWord } = await import("../doctor/models.ts");
    const { ms } = await oneWord(spec, { env, models, ...(isChosen && { baseUrl }) }, CHECK_MS);
    return `${spec} answers with it, in ${ms} ms.`;
  } catch (error) {
    const words = messageOf(error).replace(/\.$/, "");
    if (isEkidenError(error) && error.code === "model_auth")
      throw badInput(`${name} refuses this key, so it is not kept: ${words}.`);
    return `It could not be tried, so a start may fail: ${words}.`;
  }
}
