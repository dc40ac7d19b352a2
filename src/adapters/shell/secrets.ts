/** The environment of child processes: the harness's own without its secrets. A model must not be able to print a key. */

/** Names by which keys and passwords go in the world; `SSH_AUTH_SOCK` and the like are no secrets themselves. */
const SECRET =
  /(?:^|_)(?:API_?KEYS?|TOKENS?|SECRETS?|SECRET_?KEY|ACCESS_?KEY|PRIVATE_?KEY|PASSPHRASE|CREDENTIALS?)(?:_(?:ID|FILE))?$|PASSWORD|PASSWD|_PAT$/i;
/** `scheme://user:password@host` */
const LOGIN = /:\/\/[^/\s@]*:[^/\s@]+@/;

export function withoutSecrets(
  env: Readonly<Record<string, string | undefined>>,
  hidden: readonly string[],
): Record<string, string> {
  const names = new Set(hidden);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || names.has(name) || SECRET.test(name)) continue;
    if (name.startsWith("EKIDEN_") && LOGIN.test(value)) continue;
    kept[name] = value;
  }
  return kept;
}
