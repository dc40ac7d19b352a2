/** The keys of providers as the owner of the page gives them: kept for this user of the machine, and never sent back. */
import { z } from "zod";
import { PROVIDERS } from "../../adapters/models/index.ts";
import { EkidenError } from "../../core/errors.ts";
import { keepKey, keptKeys, keysFile } from "../../project/kept-keys.ts";
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

/** @throws EkidenError */
export function changeKey(access: Access, body: unknown): Acted {
  const { data } = CHANGE.safeParse(body);
  const provider = KEYED.find(({ name }) => name === data?.provider);
  if (!data || !provider)
    throw new EkidenError("bad_input", "That is no key of a provider that Ekiden knows.");
  if (!isPrivate(access))
    throw new EkidenError(
      "not_permitted",
      "This page is not encrypted, so it takes no key. Open it on the machine itself, or over https with --origin.",
    );
  keepKey(provider.keyVariable, data.key === null ? null : data.key.trim());
  const text =
    data.key === null
      ? `The key of ${provider.name} is forgotten.`
      : `The key of ${provider.name} is kept in ${keysFile()}, for you alone.`;
  return { ok: true, text };
}
