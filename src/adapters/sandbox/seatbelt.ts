/**
 * Seatbelt, the sandbox of macOS: a policy as a profile for `sandbox-exec`. In a profile the last rule that fits decides.
 * Private folders cannot be laid over others there, so commands get the private folder as TMPDIR.
 */
import { EVERY_HOST, type SandboxPolicy, type SandboxRule } from "../../core/sandbox/sandbox.ts";

export const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** Where files of persons are; a policy shows parts of them. */
const NOT_SHOWN = ["/Users", "/Volumes", "/private/var/root", "/private/tmp", "/private/var/folders"];

/** The profile of a policy. `proxyPort`: the only address that may be connected to. */
export function seatbeltProfile(
  policy: SandboxPolicy,
  privateFolder: string,
  proxyPort: number | null,
): string {
  const lines = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* (subpath ${quoted(privateFolder)}) (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))`,
    // Names may be asked for, so that programs find their own folder; what is in files and folders may not be read.
    `(deny file-read-data ${NOT_SHOWN.map((path) => `(subpath ${quoted(path)})`).join(" ")})`,
    `(allow file-read-data (subpath ${quoted(privateFolder)}))`,
    ...policy.rules.flatMap(ruleOf),
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target children))",
    "(deny mach-register)",
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.pasteboard.1") (global-name-prefix "com.apple.coreservices.launchservicesd"))',
    "(deny appleevent-send)",
  ];
  if (!policy.network.includes(EVERY_HOST)) {
    lines.push("(deny network*)", "(deny system-socket)");
    lines.push(
      `(allow network* (local unix-socket) (remote unix-socket (subpath ${quoted(privateFolder)})))`,
    );
    for (const rule of policy.rules)
      if (rule.access === "write")
        lines.push(`(allow network* (remote unix-socket (subpath ${quoted(rule.path)})))`);
    if (proxyPort !== null) lines.push(`(allow network-outbound (remote ip "localhost:${proxyPort}"))`);
  }
  return `${lines.join("\n")}\n`;
}

function ruleOf(rule: SandboxRule): string[] {
  const path = quoted(rule.path);
  switch (rule.access) {
    case "write":
      return [`(allow file-read-data file-write* (subpath ${path}))`];
    case "read":
      return [`(allow file-read-data (subpath ${path}))`, `(deny file-write* (subpath ${path}))`];
    case "hide":
      return [`(deny file-read* file-write* (subpath ${path}))`];
    case "mount":
      return [`(${rule.writable ? "allow" : "deny"} file-write* (subpath ${path}))`];
    case "replace":
      return [];
  }
}

/** A string of the profile language, which is a Scheme. */
const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;
