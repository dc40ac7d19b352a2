/** Commands that destroy a machine or take it down: no mode and no pattern allows them, only a rule with their exact text. */
import { isWithin, resolvePath } from "../paths/paths.ts";
import { type Command, withInner } from "./command.ts";
import { INTERPRETERS } from "./launchers.ts";
import type { Place } from "./places.ts";
import { programOf, type Redirect, type Word } from "./plain.ts";

type Surroundings = Pick<Place, "workspace" | "home">;

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
  for (const [program, isDeep, from, to, damage] of HARMS) {
    // An unknown program with the arguments of `rm -rf /` is taken for it.
    const isMeant = program.test(name) || (!command.known && damage === REMOVES);
    const path = isMeant && (recursive || !isDeep) ? vital(operands.slice(from, to)) : undefined;
    if (path !== undefined) return `it would ${damage.replace("PATH", () => path)}`;
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
  const end = ENDS.find(([program, , isMeant]) => program.test(name) && isMeant(args, operands));
  return end ? `${name} ${end[1]}` : null;
}

const split = ({ text, exact }: Word): Word[] => text.split(/\s+/).map((part) => ({ text: part, exact }));

const REMOVES_ROOT =
  /(?:rmtree|rm(?:dir)?Sync|rm_rf?|remove_tree|rm\s+-\w*[rR]\w*)\W+(?:\/|~|\/\*)(?:['"\s)]|$)/;

const REMOVES = "remove PATH and everything below it";
/** Programs, whether they must go into folders, which of their operands are meant, and the damage. */
const HARMS: readonly (readonly [RegExp, boolean, number, number | undefined, string])[] = [
  [/^s?rm$/, true, 0, undefined, REMOVES],
  [/^(?:chmod|chown|chgrp|chattr|setfacl)$/, true, 1, undefined, "change PATH and everything below it"],
  [/^mv$/, false, 0, -1, "move PATH away"],
];

const DEVICE = /^\/dev\/(?:[shv]d|xvd|nvme|mmcblk|disk|mapper|md\d|dm-|loop|mem|kmem|port)/;
const [DOWN, DEVICES] = ["takes the machine down", "would overwrite a device"];
const UNITS = /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|emergency|rescue)$/;

type Meant = (args: readonly string[], operands: readonly string[]) => boolean;
const ENDS: readonly (readonly [program: RegExp, damage: string, Meant])[] = [
  [/^(?:shutdown|reboot|halt|poweroff)$/, DOWN, () => true],
  [/^(?:init|telinit)$/, DOWN, (_, [level = ""]) => /^[06]$/.test(level)],
  [/^systemctl$/, DOWN, (_, operands) => operands.some((text) => UNITS.test(text))],
  [/^kill$/, "would end every process there is", (args) => args.slice(1).includes("-1")],
  [/^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs)$/, "wipes a file system", () => true],
  [/^dd$/, DEVICES, (args) => args.some((text) => text.startsWith("of=") && DEVICE.test(text.slice(3)))],
  [/^(?:shred|tee|cp|mv|sfdisk|fdisk|parted|blkdiscard)$/, DEVICES, (args) => DEVICE.test(args.at(-1) ?? "")],
];

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
