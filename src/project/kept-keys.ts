/**
 * The keys of model providers that the person gave to this program, for who has none in the environment: a file in the person's own folder,
 * for this user alone. Members cannot read that folder. A key is used and never shown again; a variable of the environment wins.
 */
import { join } from "node:path";
import { isOurs, jsonIn, replaceOwnFile } from "../adapters/small-files.ts";
import { badInput } from "../core/errors.ts";
import { userFolder } from "./own-folders.ts";

type Keys = Readonly<Record<string, string>>;

export const keysFile = (): string => join(userFolder(), "keys.json");

/** By variable, such as ANTHROPIC_API_KEY. {} where the file is missing, damaged, or open to other users. */
function keptKeys(): Keys {
  const path = keysFile();
  const known = isOurs(path) ? jsonIn<unknown>(path) : null;
  if (typeof known !== "object" || known === null) return {};
  const found = Object.entries(known).filter(([, key]) => typeof key === "string" && key !== "");
  return Object.fromEntries(found) as Keys;
}

/** `env` with the keys that it lacks. */
export const withKeptKeys = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...keptKeys(), ...given(env) });

const given = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value));

/** For this process and those that it starts. */
export function useKeptKeys(env: NodeJS.ProcessEnv): void {
  for (const [variable, key] of Object.entries(keptKeys())) env[variable] ||= key;
}

/** @throws EkidenError `bad_input` for a folder that cannot be written */
export function keepKey(variable: string, key: string): void {
  try {
    replaceOwnFile(keysFile(), `${JSON.stringify({ ...keptKeys(), [variable]: key }, null, 2)}\n`);
  } catch (error) {
    throw badInput(`${keysFile()} cannot be written.`, { cause: error });
  }
}
