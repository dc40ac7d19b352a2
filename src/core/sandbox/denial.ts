/** Reads from the output of a failed command which host or path its sandbox refused. */
import { isWithin, resolvePath } from "../paths/paths.ts";
import { EVERY_HOST, type SandboxPolicy, UNIX_SOCKETS } from "./sandbox.ts";

/**
 * One line about a failed command that the sandbox is the cause of, or null. `output` is what it printed. It names the host or the path;
 * an error that programs also have for other reasons counts only where it names a path that the sandbox guards. `real`: the path without
 * links, or null where nothing is there.
 */
export function denialNote(
  output: string,
  policy: SandboxPolicy,
  refusedHosts: readonly string[],
  real: (path: string) => string | null = (path) => path,
): string | null {
  const [host] = refusedHosts;
  if (host !== undefined)
    return `[sandbox: the connection to ${host} was refused. The rule that would allow it: allow network(${host})]`;
  const text = output.slice(-20_000);
  if (UNREACHABLE.test(text)) {
    if (policy.network.includes(EVERY_HOST))
      return "[sandbox: commands reach hosts only through the proxy in HTTPS_PROXY, and cannot resolve names themselves]";
    const named = HOST.exec(text)
      ?.slice(1)
      .find((found) => found !== undefined);
    return `[sandbox: commands have no network connection${policy.network === "off" ? "" : " but to listed hosts, through the proxy in HTTPS_PROXY"}. The rule that would allow it: allow network(${named ?? "HOST"})]`;
  }
  if (
    !policy.network.includes(UNIX_SOCKETS) &&
    text.split("\n").some((line) => NOT_PERMITTED.test(line) && SOCKET.test(line))
  )
    return `[sandbox: commands cannot use Unix sockets, not even their own. The rule that would allow it: allow network(${UNIX_SOCKETS})]`;
  const denied = deniedPath(text, policy, real);
  if (denied === null) return null;
  const { path } = denied;
  if (denied.isHidden)
    return `[sandbox: ${path} is hidden from commands, which see the project, folders of the system and toolchains. The rule that shows it, unless it is one of Ekiden's own: allow read_file(${path}), and with /** at its end for a folder]`;
  if (!policy.rules.some(({ access }) => access === "write"))
    return `[sandbox: this command runs with a read-only workspace${path === "" ? "" : `, so ${path} cannot be written`}]`;
  return `[sandbox: ${path === "" ? "a path" : path} is read-only for commands. Only the workspace and /tmp are writable, and in them not .git/config, .git/hooks, .ekiden and the other protected files; in the worktree of a task only branches below ekiden/ can be made or moved]`;
}

/** The host of the rule that a note names. */
export const hostWanted = (note: string): string | null => {
  const host = /allow network\(([^()]+)\)\]$/.exec(note)?.[1];
  return host === undefined || host === "HOST" ? null : host;
};

/** The path that the sandbox kept from being written or read; "" for one that the output does not name. */
function deniedPath(
  text: string,
  policy: SandboxPolicy,
  real: (path: string) => string | null,
): { readonly path: string; readonly isHidden: boolean } | null {
  let isUnnamed = false;
  for (const said of text.split("\n").reverse()) {
    const line = said.replace(SHELL, "");
    const isReadOnly = /read-only file system|\bEROFS\b/i.test(line);
    if (!isReadOnly && !MAY_BE_DENIED.test(line)) continue;
    const path = [...line.matchAll(QUOTED_PATH)].at(-1)?.[1] ?? [...line.matchAll(BARE_PATH)].at(-1)?.[1];
    if (path === undefined) {
      isUnnamed ||= isReadOnly;
    } else if (isReadOnly) return { path, isHidden: false };
    else {
      const full = resolvePath(policy.cwd, path);
      const target = real(full);
      // A link of the workspace may lead to what is hidden.
      if (target !== null && isHidden(target, policy))
        return { path: target === full ? path : target, isHidden: true };
      if (!/no such file|ENOENT/i.test(line) && isGuarded(full, policy)) return { path, isHidden: false };
    }
  }
  return isUnnamed ? { path: "", isHidden: false } : null;
}

/** Not there, or something empty is in its place. Folders of the kernel are made for each command. */
function isHidden(path: string, { rules }: SandboxPolicy): boolean {
  const around = rules.filter((rule) => isWithin(rule.path, path));
  return around.some(({ access }) => access === "hide") || (around.length === 0 && !OF_KERNEL.test(path));
}
const OF_KERNEL = /^\/(?:$|(?:dev|proc|run|bin|s?bin|lib\w*|var\/(?:run|tmp))(?:\/|$))/;
/** Read-only, in a folder that would be writable. */
const isGuarded = (path: string, { rules, cwd }: SandboxPolicy): boolean =>
  rules.some(
    (rule) =>
      rule.access === "read" &&
      isWithin(rule.path, path) &&
      (isWithin(rule.path, cwd) ||
        rules.some((one) => one.access === "write" && isWithin(one.path, rule.path))),
  );

/** The shell that says it is not the path that it is about. */
const SHELL = /^(?:\/\S*\/)?(?:ba|da|z)?sh: /;
const MAY_BE_DENIED =
  /device or resource busy|operation not permitted|permission denied|no such file|\b(?:EBUSY|EPERM|EACCES|ENOENT)\b/i;
/** `touch: cannot touch '/x': Read-only …`, `/bin/sh: 1: cannot create /x: …`, `EROFS: …, open '/x'`. */
const QUOTED_PATH = /['"‘`]([^'"’`\s]*\/[^'"’`]*|\.[\w.-]+)['"’`]/g;
const BARE_PATH = /(?:^|[\s:])((?:~|\.{1,2})?\/[^\s:'"]+|\.?[\w-][\w.-]*\/[^\s:'"]+|\.[\w-][\w.-]*)(?=:)/g;

/** `listen EPERM: operation not permitted /tmp/x.pipe`, `could not create Unix socket: Operation not permitted`. */
const NOT_PERMITTED = /operation not permitted|\bEPERM\b/i;
const SOCKET = /\bsocket\b|\bunix\b|\.(?:sock|socket|pipe|ipc)\b|\b(?:listen|connect) EPERM\b/i;
const UNREACHABLE =
  /could not resolve host|temporary failure in name resolution|name or service not known|network is unreachable|no route to host|failed to establish a new connection|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|unable to resolve host|dial tcp|network unreachable|Could not resolve '/i;
const HOST =
  /(?:resolve host(?:name)?:? ['"]?|resolve host address ['‘"]?|(?:ENOTFOUND|EAI_AGAIN) |lookup |Could not resolve ')([\w-]+(?:\.[\w-]+)+)|https?:\/\/([\w-]+(?:\.[\w-]+)+)/i;
