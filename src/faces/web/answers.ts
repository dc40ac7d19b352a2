/** What the page reads of a team, by address: `/api/TEAM/…`. */

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { badInput } from "../../core/errors.ts";
import { name, quote, taskId } from "../../core/ids.ts";
import { planned } from "../../team/plan/planned.ts";
import { notes } from "../../team/queries/notes.ts";
import { memberRows } from "../../team/queries/picture.ts";
import { diffShower } from "../../team/queries/shown-diff.ts";
import { isEdited } from "./plan-edits.ts";
import { journalBefore, timeline } from "./read/journal-pages.ts";
import type { TeamPage, Teams } from "./teams.ts";
import { mustSee, type Visitor } from "./visitors.ts";
import type { ShownPlan } from "./wire.ts";

/** What a request carries, besides its address. */
export type Env = { Bindings: HttpBindings; Variables: { visitor: Visitor } };

const ENTRIES_MAX = 1_000;

export const text = (c: Context, key: string): string => c.req.query(key) ?? "";

/** @throws EkidenError `bad_input` */
export function number(c: Context, key: string, otherwise: number): number {
  const value = Number(c.req.query(key) ?? otherwise);
  if (!Number.isSafeInteger(value) || value < 0)
    throw badInput(`${key}=${quote(c.req.query(key))} is not a number.`);
  return value;
}

type Answer = (team: TeamPage, c: Context<Env>, teams: Teams) => Promise<unknown>;

export const ANSWERS: Readonly<Record<string, Answer>> = {
  members: ({ store }) => memberRows(store),
  "task/:id": ({ tasks }, c) => tasks.read(taskId(c.req.param("id") ?? "")),
  "change/:id": ({ tasks, outcome }, c) => tasks.change(taskId(c.req.param("id") ?? ""), outcome),
  timeline: ({ store }, c) => timeline(store.journal, text(c, "after"), text(c, "detail") === "1"),
  journal: ({ store }, c) =>
    journalBefore(store.journal, {
      before: c.req.query("before") === undefined ? null : number(c, "before", 0),
      limit: Math.min(500, Math.max(1, number(c, "limit", 200))),
      text: text(c, "text").toLowerCase(),
      who: text(c, "who"),
      kind: text(c, "kind"),
    }),
  "conversation/:who{.+}": (team, c) => {
    const who = c.req.param("who") ?? "";
    const last = Math.min(ENTRIES_MAX, number(c, "last", 0));
    if (last === 0) return team.conversation(who, number(c, "after", 0));
    return team.conversationEnd(who, last, number(c, "before", 0) || undefined);
  },
  mail: (team, c) => team.mail(text(c, "ids")),
  notes: ({ store }) => notes(store),
  plan: async ({ store }): Promise<ShownPlan> => ({ ...(await planned(store)), isEdited: isEdited(store) }),
  run: (team) => team.run(),
  forge: async ({ store }) => {
    const { forgeRow } = await import("../../core/forge/views.ts");
    return (await store.forge.all()).map(forgeRow);
  },
  questions: (team) => team.questions(),
  doing: (team, c) => team.doing(text(c, "who")),
  costs: (team) => team.costs(),
  turns: (team) => team.turns(),
  outcome: (team, c) => team.outcome.read(text(c, "whole") === "1"),
  start: (team, _, teams) => teams.startForm(team),
  steering: async (team) => {
    const { readSteering } = await import("./steer.ts");
    return await readSteering(team.store, team.project);
  },
  "undo/:id": async ({ store, project }, c) => {
    const { previewed } = await import("../../team/actions/undo/undo.ts");
    const show = diffShower(project.settings, project.cwd, project.redact);
    return await previewed(store, project.cwd, String(taskId(c.req.param("id") ?? "")), show);
  },
  // Two teams: a link shows one of them only.
  "compare/:other": async ({ store, project }, c) => {
    const other = name(c.req.param("other") ?? "");
    mustSee(c.get("visitor"), other);
    const { compare } = await import("../../team/queries/compare.ts");
    const show = diffShower(project.settings, project.cwd, project.redact);
    return await compare(store, project.cwd, [store.team, other], show);
  },
  "commit/:commit": async ({ project }, c) => {
    const { readCommit } = await import("./read/commit.ts");
    const show = diffShower(project.settings, project.cwd, project.redact);
    return await readCommit(project.cwd, c.req.param("commit") ?? "", show);
  },
};
