/** Commands that destroy a machine or take it down: no mode and no pattern allows them, only a rule with their exact text. */
import { isWithin, resolvePath } from "../paths.ts";
import { type Command, withInner } from "./command.ts";
import { INTERPRETERS } from "./launchers.ts";
import { programOf, type Redirect, type Word } from "./plain.ts";

export type Surroundings = {
  /** The folder commands run in, absolute. */
  readonly workspace: string;
  /** The person's home folder, when known. */
  readonly home?: string | undefined;
};

/** The damage that a line would do, or null. */
export function dangerOf(commands: readonly Command[], where: Surroundings): string | null {
  const all = commands.flatMap(withInner);
  const murky = all.some(({ known }) => !known);
  let folder = where.workspace;
  for (const command of all) {
    const found = look(command, command.words, folder, where) ?? bomb(command) ?? device(command.redirects);
    if (found) return found;
    // Where a command cannot be known, arguments may become commands: `set -- rm -rf /; "$@"`.
    if (murky) {
      for (let at = 1; at < command.words.length; at += 1) {
        if (!LETHAL.test(command.words[at]?.text ?? "")) continue;
        const hidden = look(command, command.words.slice(at), folder, where);
        if (hidden) return hidden;
      }
    }
    if (/^(?:cd|pushd)$/.test(programOf(command)))
      folder = target(command.words[1]?.text ?? "~", folder, where);
  }
  return null;
}

/** Names that `look` knows. */
const LETHAL =
  /(?:^|\/)(?:s?rm|ch(?:mod|own|grp)|mv|find|shutdown|reboot|halt|poweroff|init|telinit|systemctl|kill|mkfs.*|mke2fs|mkswap|wipefs|dd)$/;

function look(command: Command, words: readonly Word[], folder: string, where: Surroundings): string | null {
  const name = words[0]?.text.replace(/^.*\//s, "") ?? "";
  // The arguments that `xargs` reads come from the commands before it in the pipe.
  const piped = words.some(({ text }) => text === "…")
    ? command.piped.flatMap((one) => one.words.slice(1).flatMap(split))
    : [];
  const args = [...words.slice(1), ...piped].map(({ text }) => text);
  const operands = args.filter((text) => !text.startsWith("-"));
  const isFound = command.piped.some((one) => programOf(one) === "find");
  const recursive = isFound || args.some((text) => /^-\w*[rR]\w*$|^--r(?:e(?:c\w*)?)?$/.test(text));
  const vital = (paths: readonly string[]): string | undefined =>
    paths.find((path) => isVital(target(path, folder, where), where));
  // An unknown program with the arguments of `rm -rf /` is taken for it.
  if ((name === "rm" || name === "srm" || !command.known) && recursive) {
    const path = vital(operands);
    if (path !== undefined) return `it would remove ${path} and everything below it`;
  }
  if (/^(?:chmod|chown|chgrp|chattr|setfacl)$/.test(name) && recursive) {
    const path = vital(operands.slice(1));
    if (path !== undefined) return `it would change ${path} and everything below it`;
  }
  if (name === "mv") {
    const path = vital(operands.slice(0, -1));
    if (path !== undefined) return `it would move ${path} away`;
  }
  if (
    name === "find" &&
    (args.includes("-delete") || command.inner.some((inner) => programOf(inner) === "rm"))
  ) {
    const first = args.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text));
    const path = vital(args.slice(0, first));
    if (path !== undefined) return `it would remove what is below ${path}`;
  }
  if (INTERPRETERS.test(name) && args.some((text) => REMOVES_ROOT.test(text)))
    return "its program would remove /";
  return ends(name, args, operands) ?? wipes(name, args);
}

const split = ({ text, exact }: Word): Word[] => text.split(/\s+/).map((part) => ({ text: part, exact }));

const REMOVES_ROOT =
  /(?:rmtree|rm(?:dir)?Sync|rm_rf?|remove_tree|rm\s+-\w*[rR]\w*)\W+(?:\/|~|\/\*)(?:['"\s)]|$)/;

function ends(name: string, args: readonly string[], operands: readonly string[]): string | null {
  if (/^(?:shutdown|reboot|halt|poweroff)$/.test(name)) return `${name} takes the machine down`;
  if (/^(?:init|telinit)$/.test(name) && /^[06]$/.test(operands[0] ?? ""))
    return `${name} ${operands[0]} takes the machine down`;
  if (
    name === "systemctl" &&
    operands.some((text) => /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|emergency|rescue)$/.test(text))
  )
    return "systemctl would take the machine down";
  if (name === "kill" && args.slice(1).includes("-1")) return "it would end every process there is";
  return null;
}

const DEVICE = /^\/dev\/(?:[shv]d|xvd|nvme|mmcblk|disk|mapper|md\d|dm-|loop|mem|kmem|port)/;

function wipes(name: string, args: readonly string[]): string | null {
  if (/^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs)$/.test(name)) return `${name} wipes a file system`;
  if (name === "dd" && args.some((text) => DEVICE.test(text.replace(/^of=/, "")) && text.startsWith("of=")))
    return "dd would overwrite a device";
  if (/^(?:shred|tee|cp|mv|sfdisk|fdisk|parted|blkdiscard)$/.test(name) && DEVICE.test(args.at(-1) ?? ""))
    return `${name} would overwrite a device`;
  return null;
}

function device(redirects: readonly Redirect[]): string | null {
  const to = redirects.find(({ op, to }) => op.includes(">") && DEVICE.test(to.text))?.to.text;
  return to === undefined ? null : `it would overwrite the device ${to}`;
}

function bomb({ words, within, operator }: Command): string | null {
  const name = words[0]?.text ?? "";
  return within.includes(name) && /^(?:\||&)/.test(operator) && operator !== "||" && operator !== "&&"
    ? `the function ${name} starts itself again and again`
    : null;
}

/** The absolute path a word names; `/*` at its end means the folder's whole content, so the folder. */
function target(text: string, folder: string, { home = "/~", workspace }: Surroundings): string {
  if (/^\$\w+$/.test(text) && !/^\$(?:HOME|PWD|OLDPWD)$/.test(text)) return workspace;
  const opened = text
    .replace(/^(?:~|\$HOME)(?=\/|$)/, home)
    .replace(/^\$PWD(?=\/|$)/, folder)
    .replace(/^\$OLDPWD(?=\/|$)/, workspace)
    .replace(/^~(?=\w)/, "/home/")
    // A variable of unknown value may be empty: `rm -rf $X/`.
    .replace(/\$\w+/g, "");
  return resolvePath(
    folder,
    opened.replace(/\/(?:\*+|\{\*,\.\*\}|\.\*|\.\[!\.\]\*|\?\*)$/, "/").replace(/^\*+$/, "."),
  );
}

const SYSTEM = new Set(
  "bin boot dev etc home lib lib32 lib64 opt proc root run sbin srv sys usr var Users System Library Applications ~"
    .split(" ")
    .map((name) => `/${name}`),
);

/** The root, what a system lives on, somebody's home, and whatever holds the workspace. */
const isVital = (path: string, { workspace, home }: Surroundings): boolean =>
  path === "/" ||
  SYSTEM.has(path) ||
  path === home ||
  (/^\/home\/[^/]+$/.test(path) && path !== workspace) ||
  /^\/[^/]*[*?[][^/]*$/.test(path) ||
  (path !== workspace && isWithin(path, workspace));
