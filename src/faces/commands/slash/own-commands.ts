/**
 * `/NAME` for the person's own commands and for skills. The typed line becomes a message. A command of the project would speak in the
 * person's name: its text is shown first, and the same line again agrees to it, until the file changes.
 */
import { loadCommands, loadSkills } from "../../../adapters/disk/library.ts";
import { badInput, EkidenError } from "../../../core/errors.ts";
import { quote } from "../../../core/ids.ts";
import { relativeTo } from "../../../core/paths/paths.ts";
import { expanded, type OwnCommand } from "../../../core/project/own-command.ts";
import { escapes } from "../../../core/text/hidden.ts";
import { userFolder } from "../../../project/own-folders.ts";
import { commandItem } from "../../../project/trust/items.ts";
import { recordItems } from "../../../project/trust/weigh.ts";
import type { Invocation } from "../../kit/invocation.ts";
import { clean } from "../../kit/terminal.ts";

export type Named = { readonly name: string; readonly about: string; readonly usage: string };

type Place = Pick<Invocation, "cwd" | "out" | "trust" | "say">;

/** Commands that were shown in this process, by what was agreed to next. */
const shown = new Set<string>();
const agreed = new Set<string>();
const SHOWN_LINES = 60;

/** For menus and `/help`: commands, then skills of other names. Files that cannot be used are not there. */
export async function ownNames(cwd: string): Promise<Named[]> {
  const folder = userFolder();
  const [commands, skills] = await Promise.all([loadCommands(cwd, folder), loadSkills(cwd, folder)]);
  const named: Named[] = commands.items.map(({ name, description, hint }) => ({
    ...{ name, about: clean(description), usage: clean(`/${name}${hint === "" ? "" : ` ${hint}`}`) },
  }));
  const taken = new Set(named.map(({ name }) => name));
  return [
    ...named,
    ...skills.items
      .filter(({ name }) => !taken.has(name))
      .map(({ name, description }) => ({ name, about: clean(`skill: ${description}`), usage: `/${name}` })),
  ];
}

/**
 * The message that a line stands for; "" where the person is to agree first; null where nobody has a command of this name.
 * `canAgree`: a person types. @throws EkidenError `bad_input` | `not_trusted`
 */
export async function ownMessage(
  call: Place,
  word: string,
  typed: string,
  words: readonly string[],
  canAgree: boolean,
): Promise<string | null> {
  const folder = userFolder();
  const { items, problems } = await loadCommands(call.cwd, folder);
  const command = items.find(({ name }) => name === word);
  if (command) return (await isAgreed(call, command, canAgree)) ? expanded(command, typed, words) : "";
  const skill = (await loadSkills(call.cwd, folder)).items.find(({ name }) => name === word);
  if (skill)
    return `Load the skill ${quote(skill.name)} with load_skill and do what it says.${typed === "" ? "" : `\n\n${typed}`}`;
  const file = word.replace(":", "/");
  const problem = problems.find((one) => one.file.endsWith(`/commands/${file}.md`));
  if (problem) throw badInput(`${problem.file} is not used: ${problem.why}`);
  return null;
}

async function isAgreed(call: Place, command: OwnCommand, canAgree: boolean): Promise<boolean> {
  const item = commandItem(command, call.cwd);
  if (agreed.has(item.digest) || (await call.trust()).sends(command)) return true;
  const file = relativeTo(call.cwd, command.source);
  if (!canAgree)
    throw new EkidenError(
      "not_trusted",
      `/${command.name} is a command of this project (${file}), and you have not agreed to it. Type it in a conversation of your own, or use --trust.`,
    );
  if (shown.has(item.digest)) {
    recordItems(call.cwd, [item]);
    agreed.add(item.digest);
    call.say(`agreed, until ${file} changes; ekiden trust --list shows it`);
    return true;
  }
  shown.add(item.digest);
  // All that is invisible is spelled out.
  const lines = command.body.split("\n").map((line) => `  ${escapes(line).replaceAll("\t", "    ")}`);
  const more = lines.length > SHOWN_LINES ? [`  … ${lines.length - SHOWN_LINES} more lines in ${file}`] : [];
  call.out.write(
    [
      call.out.paint(
        "strong",
        `This project brings /${escapes(command.name)}, in ${escapes(file)}. It would be sent as your words:`,
      ),
      ...lines.slice(0, SHOWN_LINES),
      ...more,
      call.out.paint(
        "warn",
        "Nothing was sent. Enter the same line again to agree until the file changes, and to send it.",
      ),
      "",
    ].join("\n"),
  );
  return false;
}
