/**
 * Chooses how hard the model of a member thinks at its next call. The first that is named counts: what the person chose meanwhile, the line
 * "Effort:" of its task, what it was spawned with, its role's file, the settings for its role and phase.
 */

import type { Profile } from "../../core/board/member.ts";
import type { Task } from "../../core/board/task.ts";
import { derived } from "../../core/derived.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import type { Mode } from "../../core/permission/mode.ts";
import {
  type Effort,
  effortFor,
  effortOfTask,
  nearestEffort,
  type Phase,
} from "../../core/settings/effort.ts";
import { capabilitiesOf, type ModelSetting } from "../../core/settings/models.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Model, Store } from "../../ports/index.ts";

export type EffortSources = {
  readonly store: Pick<Store, "board" | "requests">;
  readonly settings: Pick<Settings, "effort">;
  readonly profile: Omit<Profile, "prompt">;
  /** The level of its spawn, and that of the file of its role. */
  readonly own: Effort | undefined;
  readonly ofRole: Effort | undefined;
  readonly mode: () => Mode;
  readonly task: () => TaskId | null;
  readonly chosen: (name: Name) => Effort | undefined;
};

export type EffortOf = () => Promise<Effort | undefined>;

export function memberEffort(sources: EffortSources): EffortOf {
  const { store, settings, profile, own, ofRole, mode, chosen } = sources;
  const { name, kind, role, needsPlan } = profile;
  let known: Task | null = null;
  let approved = "";

  const task = async (): Promise<Task | null> => {
    const id = sources.task();
    if (id === null || known?.id === id) return id === null ? null : known;
    known = await store.board.task(id);
    return known;
  };
  const plans = async (): Promise<boolean> => {
    if (kind === "lead" || mode() === "plan") return true;
    const id = sources.task();
    const current = id === null ? null : await store.board.task(id);
    if (!current || !(needsPlan || current.needsPlan)) return false;
    const attempt = `${current.id}.${current.attempt}`;
    if (approved === attempt) return false;
    const plan = await store.requests.planFor(current.id, current.attempt);
    if (plan?.state !== "answered" || !plan.answer?.yes) return true;
    approved = attempt;
    return false;
  };
  const phase = async (): Promise<Phase> =>
    /review/i.test(role) ? "review" : (await plans()) ? "plan" : "work";

  return async () => {
    const now = chosen(name) ?? effortOfTask((await task())?.description ?? "") ?? own ?? ofRole;
    if (now !== undefined || settings.effort === undefined) return now;
    // the phase costs a look at the board, so only a setting that tells phases apart asks for it
    return effortFor(settings.effort, role, typeof settings.effort === "string" ? "work" : await phase());
  };
}

/** The same model; each of its requests says how hard to think. */
export const thinking = (model: Model, effortOf: EffortOf): Model =>
  derived(model, {
    reply: async (request, options) => {
      const effort = request.effort ?? (await effortOf());
      return await model.reply(effort === undefined ? request : { ...request, effort }, options);
    },
  });

/** A note on a level that a model does not have: the level that is used instead. "" when it has the level. */
export function effortNote(
  spec: string,
  wanted: Effort | undefined,
  models: Readonly<Record<string, ModelSetting>> = {},
): string {
  const { efforts } = capabilitiesOf(spec, models[spec]);
  if (wanted === undefined || efforts.includes(wanted) || !spec.includes("/")) return "";
  const nearest = nearestEffort(wanted, efforts);
  return nearest === undefined
    ? `${spec} has no levels of effort that Ekiden knows, so it thinks as its provider sees fit. The setting "models" can name them.`
    : `${spec} has no effort "${wanted}", so it thinks with "${nearest}". Its levels: ${efforts.join(", ")}.`;
}
