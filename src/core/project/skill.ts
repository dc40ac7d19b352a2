/**
 * Skills: instructions that are loaded on demand. A member's prompt holds only the catalogue (names and one line each,
 * bounded); `load_skill` returns the body.
 */
import { z } from "zod";
import { tagged } from "../conversation/tags.ts";
import { badInput, notFound } from "../errors.ts";
import { lazy } from "../lazy.ts";
import { didYouMean } from "../text/nearest.ts";
import { oneLine } from "../text/one-line.ts";
import { cutEnd } from "../text/valid.ts";

export type Skill = {
  readonly name: string;
  /** When to use it, one line. */
  readonly description: string;
  readonly body: string;
  /** Absolute path of its folder, which has the files that the body refers to. */
  readonly folder: string;
};

/** Characters of a body; the rest stays in the file. */
const BODY_MAX = 50_000;
export const DESCRIPTION_MAX = 200;
/** Characters of the whole catalogue in a prompt. */
const CATALOGUE_MAX = 4_000;

const head = lazy(() =>
  z.object({
    name: z
      .string("must be a text")
      .trim()
      .regex(/^[\w.:-]{1,64}$/, "must be 1 to 64 letters, digits, dots, colons, dashes or underscores")
      .optional(),
    description: z.string("must be a text").optional(),
  }),
);

/** The fault of a parsed head, in one sentence. */
export const faults = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join(".") || "the head"} ${message}`).join("; ");

/**
 * A skill from the parsed head of its `SKILL.md` and the body below. Its name defaults to its folder, its description to the
 * first line of its text.
 * @throws EkidenError `bad_input` with what is wrong.
 */
export function makeSkill(data: unknown, body: string, fallbackName: string, folder: string): Skill {
  const parsed = head().safeParse(data ?? {});
  if (!parsed.success) throw badInput(faults(parsed.error));
  const firstLine = body.split("\n").find((line) => /^[^#\s]/.test(line)) ?? "";
  return {
    name: parsed.data.name ?? fallbackName,
    description: oneLine(parsed.data.description ?? firstLine, DESCRIPTION_MAX),
    body:
      body.length > BODY_MAX
        ? `${cutEnd(body, BODY_MAX)}\n[… ${body.length - BODY_MAX} more characters in SKILL.md …]`
        : body,
    folder,
  };
}

/** The section of a prompt; "" without skills. If there is no room for both, names come before descriptions. */
export function skillCatalogue(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  const full = skills.map(({ name, description }) => `- ${name}${description && `: ${description}`}`);
  const lines = length(full) <= CATALOGUE_MAX ? full : skills.map(({ name }) => `- ${name}`);
  const kept: string[] = [];
  let room = CATALOGUE_MAX;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.push(line);
  }
  const more = lines.length - kept.length;
  return tagged(
    "skills",
    {},
    [
      "Load one with load_skill before you do what it is for:",
      ...kept,
      ...(more > 0 ? [`(${more} more)`] : []),
    ].join("\n"),
  );
}

const length = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** @throws EkidenError `not_found` with the existing skills. */
export function findSkill(skills: readonly Skill[], name: string): Skill {
  const skill = skills.find((s) => s.name.toLowerCase() === name.trim().toLowerCase());
  if (skill) return skill;
  const known = skills.map((s) => s.name);
  throw notFound(
    `There is no skill "${name}".${didYouMean(name, known)} The skills: ${known.slice(0, 50).join(", ")}.`,
  );
}

/** The answer of `load_skill`. */
export const showSkill = ({ name, body, folder }: Skill): string =>
  `Skill ${name}. Files it refers to lie in ${folder}.\n\n${body}`;
