/** The rule that "always" stands for: never wider than the line that was asked about. */
import { readLine, withInner } from "../shell/command.ts";
import { INTERPRETERS, SHELLS } from "../shell/launchers.ts";
import { programOf } from "../shell/plain.ts";

/** The line itself, if it can be a rule and means the same each time: one plain line without a wildcard. */
export function suggestion(subject: string): string | null {
  const line = subject.trim();
  if (line === "" || line.length > 500 || /[*\n]|<</.test(line)) return null;
  const { commands, plain } = readLine(line);
  const every = commands.flatMap(withInner);
  const isFixed = every.every(
    (command) =>
      command.known &&
      command.assigns.length === 0 &&
      !SHELLS.test(programOf(command)) &&
      !INTERPRETERS.test(programOf(command)),
  );
  return plain && isFixed ? `bash(${line})` : null;
}
