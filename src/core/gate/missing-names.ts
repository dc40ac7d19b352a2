/** The names that the code of a change defines and uses no more. Pure. */
import { isCode } from "./assertions.ts";
import type { Part } from "./change.ts";

const DEFINED =
  /\b(?:function|def|fn|func|class|struct|interface|type|trait|enum|module|const|let|var|val|void|static|public|record)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_]\w{2,})/g;
const CONSTANT = /^([A-Z][A-Z0-9_]{2,})\s*(?::[^=]*)?=(?!=)/;
export const definedIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => [
    ...[...line.matchAll(DEFINED)].map(([, name = ""]) => name),
    ...(CONSTANT.exec(line)?.slice(1) ?? []),
  ]);

/** Names that are of the program and not of a language: "LinkedTreeMap", "empty_path_info", "webrick". */
const LONG = 5;
const namesIn = (lines: readonly string[]): string[] =>
  lines
    .filter((line) => isCode(line))
    .flatMap((line) => [...new Set(line.match(/[A-Za-z_]\w*/g))])
    .filter((one) => one.length > LONG);

/** Names that several lines of the code had, and that no line around the change has now. */
function unusedNow(code: readonly Part[]): string[] {
  const still = new Set(
    namesIn(
      code.flatMap(({ file }) =>
        file.lines.filter(({ sign }) => sign === "+" || sign === " ").map(({ text }) => text),
      ),
    ),
  );
  const times = new Map<string, number>();
  for (const name of namesIn(code.flatMap(({ removed }) => removed)))
    if (!still.has(name)) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].flatMap(([name, count]) => (count > 1 ? [name] : []));
}

/** Whether lines name what the code does not define any more. */
export function goneFrom(code: readonly Part[]): (lines: readonly string[]) => boolean {
  const still = new Set(definedIn(code.flatMap((one) => one.added)));
  const gone = new Set([
    ...definedIn(code.flatMap((one) => one.removed)).filter((name) => !still.has(name)),
    ...unusedNow(code),
  ]);
  return (lines) =>
    gone.size > 0 && lines.some((line) => (line.match(/\w+/g) ?? []).some((word) => gone.has(word)));
}
