/**
 * Roles: a file in `.ekiden/agents` or `.claude/agents` gives a teammate or a subagent a prompt, an allow list of tools and a
 * model. A role restricts and never permits: permissions are checked as without it.
 */
import { z } from "zod";
import { ownModel } from "../board/member.ts";
import { escapeTags } from "../conversation/tags.ts";
import { badInput, notFound } from "../errors.ts";
import { foldRole } from "../ids.ts";
import { lazy } from "../lazy.ts";
import { agentSpec } from "../settings/agent-line.ts";
import { EFFORTS, type Effort } from "../settings/effort.ts";
import { didYouMean } from "../text/nearest.ts";
import { oneLine } from "../text/one-line.ts";
import { cutEnd } from "../text/valid.ts";
import { FOREIGN_NAMES, ourName, SHARED_TOOLS, TOOL_NAMES } from "../tool-names.ts";
import { DESCRIPTION_MAX, faults } from "./skill.ts";

export type Role = {
  readonly name: string;
  /** When to use it, one line. */
  readonly description: string;
  /** Tools by our names; null for all. */
  readonly tools: readonly string[] | null;
  /** Model spec, or the program of another vendor that is the model of its teammates (`agent-line`); "" for the team's. */
  readonly model: string;
  /** The effort of its model; undefined: as the settings say. */
  readonly effort?: Effort | undefined;
  readonly prompt: string;
  /** The file, to show to people. */
  readonly source: string;
};

/** Where a project has them. */
export const ROLE_FOLDERS = [".ekiden/agents", ".claude/agents"];

/** Characters of a role's prompt; the rest is cut off. */
const PROMPT_MAX = 20_000;

/** The tools that an allow list is about. The team's own tools (board, mail, memory, idle …) stay with every role. */
const isSubject = (tool: string): boolean => SHARED_TOOLS.has(tool) || tool.startsWith("mcp__");

/** Reads "Bash(git log:*), Read" and lists. Text in brackets is a permission rule in Claude Code, and not a part of a role here. */
const toolNames = lazy(() =>
  z
    .union([z.string(), z.array(z.string())], "must be a list of tool names")
    .transform((names) =>
      (typeof names === "string" ? names.split(/,(?![^(]*\))/) : names)
        .map((name) => name.replace(/\(.*$/s, "").trim())
        .filter(Boolean)
        .map(ourName),
    )
    .transform((names): readonly string[] | null => (names.includes("*") ? null : [...new Set(names)])),
);

const head = lazy(() =>
  z.object({
    name: z
      .string("must be a text")
      .trim()
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u, "must be one line of 1 to 64 characters")
      .optional(),
    description: z.string("must be a text").optional(),
    tools: toolNames().nullish(),
    model: z.string("must be a text").trim().nullish(),
    agent: z.string("must be a text").trim().nullish(),
    effort: z.enum(EFFORTS, `must be one of ${EFFORTS.join(", ")}`).nullish(),
  }),
);

/**
 * A role from the parsed head of a file and its body. `fallbackName`: the file's own name.
 * @throws EkidenError `bad_input` with what is wrong with the head.
 */
export function makeRole(data: unknown, body: string, fallbackName: string, source: string): Role {
  const parsed = head().safeParse(data ?? {});
  if (!parsed.success) throw badInput(faults(parsed.error));
  const { name, description, tools, model, agent, effort } = parsed.data;
  return {
    name: name ?? fallbackName,
    description: oneLine(description ?? "", DESCRIPTION_MAX),
    tools: tools ?? null,
    model: agent ? agentSpec(agent) : ownModel(model ?? ""),
    ...(effort && { effort }),
    prompt: cutEnd(body, PROMPT_MAX),
    source,
  };
}

/** Warnings about a role that is used all the same: one sentence for each unknown tool. */
export const doubtsAbout = ({ tools, source }: Role): string[] =>
  (tools ?? [])
    .filter((tool) => !tool.startsWith("mcp__") && !TOOL_NAMES.includes(tool))
    .map(
      (tool) =>
        `${source}: unknown tool "${tool}"; the role works without it.${didYouMean(tool, [...TOOL_NAMES, ...FOREIGN_NAMES])}`,
    );

/** Null for a role without a file: any word may be a role, a file only gives it a prompt. */
export const roleNamed = (roles: readonly Role[], name: string): Role | null =>
  name === "" ? null : (roles.find((role) => foldRole(role.name) === foldRole(name)) ?? null);

/** @throws EkidenError `not_found` with the existing roles. */
export function findRole(roles: readonly Role[], name: string): Role {
  const role = roleNamed(roles, name);
  if (role) return role;
  const known = roles.map((r) => r.name);
  throw notFound(
    `There is no role "${name}".${didYouMean(name, known)} ${known.length > 0 ? `The roles: ${known.join(", ")}.` : "Omit `role`."}`,
  );
}

/** The tools that a role leaves, in the same order. */
export function applyRole<T extends { readonly name: string }>(role: Role | null, tools: readonly T[]): T[] {
  const allowed = role?.tools;
  return allowed ? tools.filter(({ name }) => !isSubject(name) || allowed.includes(name)) : [...tools];
}

/** The section of a member's prompt; "" for none. */
export const rolePrompt = (role: Role | null): string =>
  role?.prompt ? `Your role, ${role.name}:\n${escapeTags(role.prompt)}` : "";

/** The number of roles that a prompt describes. It only counts the others. */
const CATALOGUE_MAX = 30;

/** The section of the lead's prompt; "" when there are none. */
export function roleCatalogue(roles: readonly Role[]): string {
  if (roles.length === 0) return "";
  const lines = roles
    .slice(0, CATALOGUE_MAX)
    .map(({ name, description }) => `- ${name}${description && `: ${escapeTags(description)}`}`);
  const more = roles.length - CATALOGUE_MAX;
  return [`Roles for spawn_teammate:`, ...lines, ...(more > 0 ? [`(${more} more)`] : [])].join("\n");
}
