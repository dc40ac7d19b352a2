/** The secrets that a process knows: those of its environment, and of the settings. */
import { namedSecrets, Secrets } from "../core/text/secrets.ts";

export const secretsOf = (
  env: Readonly<Record<string, string | undefined>>,
  settings: object = {},
): Secrets => new Secrets([...namedSecrets(env), ...namedSecrets(settings)]);
