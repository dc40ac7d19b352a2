/** A person's own command: a Markdown file whose text is sent when its name is typed, with the typed arguments put in. */
import { z } from "zod";
import { badInput } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { oneLine } from "../text/one-line.ts";
import { DESCRIPTION_MAX, faults } from "./skill.ts";

export type OwnCommand = {
  /** As it is typed behind the slash; "folder:name" for one in a folder. */
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The arguments to type behind it, such as "BRANCH"; "" where the file does not say. */
  readonly hint: string;
  readonly body: string;
  /** The file, absolute. */
  readonly source: string;
};

/** Where a project has them. */
export const COMMAND_FOLDERS = [".ekiden/commands", ".claude/commands"];

const head = lazy(() =>
  z.object({
    description: z.string("must be a text").optional(),
    "argument-hint": z.unknown().optional(),
  }),
);
const HINT_MAX = 60;

/** @throws EkidenError `bad_input` with what is wrong */
export function makeOwnCommand(data: unknown, body: string, name: string, source: string): OwnCommand {
  const parsed = head().safeParse(data ?? {});
  if (!parsed.success) throw badInput(faults(parsed.error));
  if (!/^[\w.-]{1,64}(?::[\w.-]{1,64})?$/.test(name))
    throw badInput("its name must be 1 to 64 letters, digits, dots, dashes or underscores");
  const text = body.trim();
  if (text === "") throw badInput("it has no text");
  const { description, "argument-hint": hint } = parsed.data;
  const firstLine = text.split("\n").find((line) => /^[^#\s]/.test(line)) ?? text;
  return {
    ...{ name, source, body: text },
    description: oneLine(description ?? firstLine, DESCRIPTION_MAX),
    // `[branch]` without quotes is a list in YAML.
    hint: oneLine(
      Array.isArray(hint) ? hint.map((one) => `[${one}]`).join(" ") : String(hint ?? ""),
      HINT_MAX,
    ),
  };
}

/** `$ARGUMENTS`: all that was typed behind the name; `$1` to `$9`: its words. Without a place for it, it comes at the end. */
export function expanded({ body }: OwnCommand, typed: string, words: readonly string[]): string {
  const places = /\$(?:ARGUMENTS|([1-9])(?!\d))/g;
  const put = body.replace(places, (_, nth?: string) =>
    nth === undefined ? typed : (words[Number(nth) - 1] ?? ""),
  );
  return typed === "" || places.test(body) ? put : `${put}\n\n${typed}`;
}
