/**
 * The effort of a model's thinking, from "none" to "max". Not every model has every level: the nearest one that it has is used. A level may
 * follow the name of a model: "anthropic/claude-sonnet-5-5@high", or stand alone for the team's model: "@high".
 */
import { badInput } from "../errors.ts";
import { quote } from "../ids.ts";
import { didYouMean } from "../text/nearest.ts";

export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];
/** A member plans (where a plan must be approved first), works, or judges the work of others. */
export const PHASES = ["plan", "work", "review"] as const;
export type Phase = (typeof PHASES)[number];

/** One level for all, or one for each phase and role; a role counts before a phase. */
export type EffortSetting =
  | Effort
  | (Readonly<Partial<Record<Phase, Effort | undefined>>> & {
      readonly roles?: Readonly<Record<string, Effort>> | undefined;
    });

export const isEffort = (text: string): text is Effort => (EFFORTS as readonly string[]).includes(text);

/** `others`: words that are allowed as well. @throws EkidenError `bad_input` with the levels */
export function readEffort(text: string, others: readonly string[] = []): Effort {
  const level = text.trim().toLowerCase();
  if (isEffort(level)) return level;
  const all = [...EFFORTS, ...others];
  throw badInput(`${quote(text)} is not an effort.${didYouMean(level, all)} Levels: ${all.join(", ")}.`);
}

/** In an order of the person: "auto" is null, the level of the settings. @throws EkidenError `bad_input` with the levels */
export const readOrdered = (text: string): Effort | null =>
  text.trim().toLowerCase() === "auto" ? null : readEffort(text, ["auto"]);

/** A model spec and the level behind it. An "@" that no level follows belongs to the name. */
export function splitEffort(spec: string): { readonly model: string; readonly effort: Effort | undefined } {
  const at = spec.lastIndexOf("@");
  const level = spec.slice(at + 1);
  return at !== -1 && isEffort(level)
    ? { model: spec.slice(0, at), effort: level }
    : { model: spec, effort: undefined };
}

export const withEffort = (model: string, effort: Effort | undefined): string =>
  effort === undefined ? model : `${splitEffort(model).model}@${effort}`;

/** The level that a model has and that is nearest to the wanted one; of two, the lower. Undefined for a model without levels. */
export function nearestEffort(wanted: Effort, levels: readonly Effort[]): Effort | undefined {
  const distance = (level: Effort): number => Math.abs(EFFORTS.indexOf(level) - EFFORTS.indexOf(wanted));
  return [...levels]
    .sort((a, b) => EFFORTS.indexOf(a) - EFFORTS.indexOf(b))
    .reduce<Effort | undefined>(
      (best, level) => (best === undefined || distance(level) < distance(best) ? level : best),
      undefined,
    );
}

/** The level that a setting gives for a role in a phase. */
export function effortFor(
  setting: EffortSetting | undefined,
  role: string,
  phase: Phase,
): Effort | undefined {
  if (setting === undefined || typeof setting === "string") return setting;
  const ofRole = Object.entries(setting.roles ?? {}).find(
    ([name]) => name.toLowerCase() === role.toLowerCase(),
  );
  return (role !== "" ? ofRole?.[1] : undefined) ?? setting[phase];
}

/** The line "Effort: high" in the description of a task; undefined without one, or with another word. */
export function effortOfTask(description: string): Effort | undefined {
  const word = /^\s*(?:[-*]\s+)?Effort:\s*(\w+)\s*$/im.exec(description)?.[1]?.toLowerCase() ?? "";
  return isEffort(word) ? word : undefined;
}
