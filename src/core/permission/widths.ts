/**
 * Wider rules that a person may choose instead of the one for exactly this call: `npm test *` for `npm test -- a.ts`. Only what names the
 * same action is offered. Nothing is offered for programs whose arguments decide how much they destroy or whom they reach.
 */

import { RULE_NAMES } from "../tool-names.ts";

/** Programs with a verb, behind which only arguments stand. */
const VERBS =
  /^(?:git|npm|pnpm|yarn|bun|cargo|go|pip3?|uv|poetry|dotnet|mvn|gradle|make|just|task|composer|bundle|rake|rails|mix|npx|deno|swift)$/;
/** `npm run build *`: the verb itself only says that something follows. */
const LONGER = /^(?:(?:npm|pnpm|yarn|bun|uv|poetry|mix) run|bundle exec|gh \S+)$/;
/** Their arguments are all of it. */
const NEVER = new Set(
  `rm dd mkfs shred truncate chmod chown chgrp kill killall pkill curl wget ssh scp sftp rsync nc mv cp ln tee install find xargs env eval
   exec sudo doas su sh bash zsh node python python3 perl ruby php docker podman kubectl helm terraform aws gcloud az`.split(
    /\s+/,
  ),
);
const NEVER_VERB =
  /^(?:git (?:push|reset|clean|checkout|rebase|config|filter-branch)|\S+ (?:publish|delete|destroy|login))$/;

/** The rule itself, and behind it wider ones. */
export function widthsOf(rule: string): string[] {
  const [, tool = "", match = ""] = /^([\w-]+)\((.*)\)$/s.exec(rule) ?? [];
  const isOf = (use: keyof typeof RULE_NAMES): boolean => RULE_NAMES[use].some((name) => name === tool);
  const wider = isOf("run") ? ofLine(match) : isOf("write") ? ofPath(match) : [];
  return [rule, ...wider.map((one) => `${tool}(${one})`).filter((one) => one !== rule)];
}

/** The wider rules of a line with one command of plain words; none for others. */
function ofLine(line: string): string[] {
  if (!/^[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*$/.test(line)) return [];
  const words = line.split(" ");
  const [program = ""] = words;
  if (/[/=]/.test(program)) return [];
  const verbs = LONGER.test(words.slice(0, 2).join(" ")) ? 3 : VERBS.test(program) ? 2 : 1;
  const stem = words.slice(0, verbs);
  const isPlain = stem.length === verbs && !stem.some((word) => word.startsWith("-") || NEVER.has(word));
  return !isPlain || NEVER_VERB.test(stem.join(" ")) ? [] : [`${stem.join(" ")} *`];
}

/** The folder of the file, and the one that holds it. */
function ofPath(path: string): string[] {
  const folders = path.split("/").slice(0, -1);
  if (path.startsWith("/") || folders.some((part) => part === "" || part === "..")) return [];
  const [top] = folders;
  return [...new Set([folders.join("/"), top ?? ""])]
    .filter((part) => part !== "")
    .map((part) => `${part}/**`);
}
