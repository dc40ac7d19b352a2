/** Files that `find` hands to a program, so that nobody knows their names and everybody knows where they are. */
import type { Simple, Word } from "./plain.ts";

/** A path that begins with that where a search began. As a pattern: no program text, and no value of an option. */
export const FOUND: Word = { text: "{}", exact: true, glob: "{}" };

/** Whether what a command prints are names of files and nothing else, each with its end: `find src -type f -print0 |`. */
export function namesFiles({ operator, words }: Simple): boolean {
  const texts = words.map(({ text }) => text);
  return (
    operator === "|" &&
    /^[^-].* -print0$/s.test(texts.slice(-2).join(" ")) &&
    !texts.slice(1, -1).some((text) => /^-(?:print|fprint|ls|exec|ok)/.test(text)) &&
    listsFiles(texts)
  );
}

/** Whether `find` passes on files alone: of links and folders nobody knows where a program would read. */
export const listsFiles = (texts: readonly string[]): boolean =>
  texts[0] === "find" &&
  texts.some((text, i) => text === "-type" && texts[i + 1] === "f") &&
  // A name that begins with `@` is a list of options to some programs.
  !texts.some((text) => /^(?:-o|-or|-not|-L|-H|-follow|[!,(]|@.*)$/s.test(text));
