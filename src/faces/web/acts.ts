/** The actions of a person on the page: the same as the command line's, with the same refusals. */
import { z } from "zod";
import { badInput, notPermitted } from "../../core/errors.ts";
import { cronId, mailId, name, PERSON, taskId } from "../../core/ids.ts";
import { MODES } from "../../core/permission/mode.ts";
import { NOTE_KINDS } from "../../core/plan/facts.ts";
import { PLAN_FIELDS } from "../../core/plan/plan-views.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Store } from "../../ports/index.ts";
import { storeUrl } from "../../project/store-address.ts";
import { answer } from "../../team/actions/answer.ts";
import { addCron, cancelCron, readCron } from "../../team/actions/crons.ts";
import type { Done } from "../../team/actions/done.ts";
import type { ForkedData } from "../../team/actions/fork/fork.ts";
import { sendMail, takeBack } from "../../team/actions/mail.ts";
import { addNote, changeNote } from "../../team/actions/notes.ts";
import { stop } from "../../team/actions/stop.ts";
import {
  addTask,
  cancelTask,
  completeTask,
  editTask,
  failTask,
  releaseTask,
  retryTask,
  takeTask,
} from "../../team/actions/tasks.ts";
import { editPlanned, moveTask, removePlanned, type Undoable } from "../../team/plan/edit.ts";
import type { OutcomeReader } from "../../team/queries/outcome.ts";
import type { Launch } from "./launch.ts";
import { keepEdit, takeEditBack } from "./plan-edits.ts";
import type { Act } from "./wire.ts";

export type Actor = {
  readonly settings: Settings;
  readonly cwd: string;
  /** Starts runs for the page; none where it may not. */
  readonly launch?: Launch | undefined;
  /** Reads the changes of the team. */
  readonly outcome?: OutcomeReader | undefined;
};

const id = z.number().int();
const fields = z.strictObject({
  subject: z.string(),
  description: z.string(),
  blockedBy: z.array(id),
  priority: z.number(),
  estimate: z.number(),
  role: z.string(),
  touches: z.array(z.string()),
  needsPlan: z.boolean(),
});
const ACT = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("add"), task: fields }),
  z.strictObject({ do: z.literal("edit"), id, task: fields.partial() }),
  z.strictObject({ do: z.literal("move"), id, by: z.union([z.literal(1), z.literal(-1)]) }),
  z.strictObject({ do: z.literal("replan"), id, texts: z.partialRecord(z.enum(PLAN_FIELDS), z.string()) }),
  z.strictObject({ do: z.literal("unplan"), id }),
  z.strictObject({ do: z.literal("unedit") }),
  z.strictObject({ do: z.literal("retry"), id }),
  z.strictObject({ do: z.literal("release"), id }),
  z.strictObject({ do: z.literal("cancel"), id, reason: z.string() }),
  z.strictObject({ do: z.literal("send"), to: z.string(), text: z.string(), urgent: z.boolean() }),
  z.strictObject({ do: z.literal("withdraw"), id }),
  z.strictObject({ do: z.literal("stop"), who: z.string(), now: z.boolean(), reason: z.string() }),
  z.strictObject({
    do: z.literal("answer"),
    request: z.string(),
    answer: z.string(),
    text: z.string(),
  }),
  z.strictObject({
    do: z.literal("start"),
    what: z.enum(["goal", "plan", "runbook", "resume", "spawn"]),
    text: z.string(),
    options: z.strictObject({
      model: z.string().optional(),
      lead: z.string().optional(),
      effort: z.string().optional(),
      teammates: z.number().int().min(0).max(100).optional(),
      budgetUsd: z.string().optional(),
      worktrees: z.boolean().optional(),
      planFirst: z.boolean().optional(),
      mode: z.enum(MODES).optional(),
      repository: z.boolean().optional(),
      ask: z.boolean().optional(),
      trust: z.boolean().optional(),
    }),
  }),
  z.strictObject({ do: z.literal("assign"), id, who: z.string() }),
  z.strictObject({ do: z.enum(["complete", "fail"]), id, text: z.string() }),
  z.strictObject({ do: z.literal("take"), id }),
  z.strictObject({ do: z.literal("undo"), id, conversation: z.boolean() }),
  z.strictObject({ do: z.literal("redo") }),
  z.strictObject({ do: z.literal("fork"), at: z.string().max(60), name: z.string().max(100) }),
  z.strictObject({
    do: z.literal("land"),
    id,
    decision: z.enum(["move", "drop", "land"]),
    place: z.number().int().min(1),
  }),
  z.strictObject({
    do: z.literal("cron"),
    expression: z.string(),
    text: z.string(),
    to: z.string(),
    task: z.boolean(),
  }),
  z.strictObject({ do: z.literal("uncron"), id }),
  z.strictObject({ do: z.literal("note"), text: z.string(), kind: z.enum(NOTE_KINDS) }),
  z.strictObject({ do: z.literal("renote"), id, text: z.string() }),
  z.strictObject({
    do: z.literal("steer"),
    what: z.enum(["mode", "model", "effort", "budget", "interrupt", "compact", "anew"]),
    who: z.string(),
    value: z.string().max(200),
  }),
  z.strictObject({
    do: z.literal("review"),
    comments: z
      .array(
        z.strictObject({
          path: z.string(),
          line: z.number().int(),
          until: z.number().int().optional(),
          removed: z.boolean().optional(),
          excerpt: z.string().max(2_000),
          text: z.string().max(10_000),
        }),
      )
      .max(200),
  }),
]);

/** @throws EkidenError `bad_input` */
export function readAct(data: unknown): Act {
  const { success, data: act, error } = ACT.safeParse(data);
  if (success) return act as Act;
  throw badInput(`The page asked for something unknown: ${z.prettifyError(error)}. Reload the page.`);
}

/** Resolves with a sentence that says what was done. @throws what the actions throw */
export async function perform(
  store: Store,
  act: Act,
  actor: Actor,
): Promise<{ readonly text: string; readonly team?: string }> {
  const done = await ACTIONS[act.do](store, act as never, actor);
  const { text, data } = done;
  if ("undo" in done) keepEdit(store, (done as Undoable).undo);
  return { text, ...(act.do === "fork" && { team: (data as ForkedData).team }) };
}

type Action<K extends Act["do"]> = (
  store: Store,
  act: Extract<Act, { do: K }>,
  actor: Actor,
) => Promise<Done>;
const ACTIONS: { readonly [K in Act["do"]]: Action<K> } = {
  add: (store, { task }) =>
    addTask(store, PERSON, { ...task, blockedBy: task.blockedBy.map(taskId), role: task.role || null }),
  edit: (store, { id, task: { blockedBy, ...task } }) =>
    editTask(store, PERSON, taskId(id), { ...task, ...(blockedBy && { blockedBy: blockedBy.map(taskId) }) }),
  move: (store, { id, by }) => moveTask(store, PERSON, taskId(id), by),
  replan: (store, { id, texts }) => editPlanned(store, PERSON, taskId(id), texts),
  unplan: (store, { id }) => removePlanned(store, PERSON, taskId(id)),
  unedit: takeEditBack,
  retry: (store, { id }) => retryTask(store, PERSON, taskId(id)),
  release: (store, { id }) => releaseTask(store, PERSON, taskId(id)),
  cancel: (store, { id, reason }, { cwd }) => cancelTask(store, PERSON, taskId(id), reason, cwd),
  send: (store, { to, text, urgent }, { settings, cwd }) =>
    sendMail(store, PERSON, { to, text, urgent }, { settings: { ...settings, team: store.team }, cwd }),
  withdraw: (store, { id }) => takeBack(store, PERSON, mailId(id)),
  answer: (store, { request, answer: word, text }) => answer(store, request, word, text),
  stop: async (store, { who, now, reason }, { settings }) => {
    const told: string[] = [];
    await stop(store, PERSON, who === "all" ? null : name(who), {
      now,
      ...(reason !== "" && { reason }),
      deadlineMs: settings.shutdownDeadlineMs,
      tell: (text) => told.push(text),
    });
    return { data: null, text: told.join("; ") || "nobody is at work" };
  },
  start: async (store, { what, text, options }, { launch: at }) => {
    if (!at) throw notPermitted("This page cannot start runs: ekiden web can.");
    const { launch } = await import("./launch.ts");
    return { data: null, text: await launch(store, at, what, text, options) };
  },
  assign: (store, { id, who }) =>
    editTask(store, PERSON, taskId(id), { assignee: who === "" ? null : name(who) }),
  take: (store, { id }) => takeTask(store, PERSON, taskId(id)),
  undo: async (store, { id, conversation }, { cwd }) => {
    const { undo } = await import("../../team/actions/undo/undo.ts");
    return await undo(store, cwd, PERSON, { what: String(id), conversation });
  },
  redo: async (store, _, { cwd }) =>
    await (await import("../../team/actions/undo/undo.ts")).redo(store, cwd, PERSON),
  fork: async (store, { at, name: team }, { settings, cwd }) => {
    const { fork } = await import("../../team/actions/fork/fork.ts");
    const where = { cwd, url: storeUrl(settings, cwd) };
    return await fork(store, where, PERSON, { at, team: team || undefined });
  },
  complete: (store, { id, text }, { cwd }) => completeTask(store, PERSON, taskId(id), text, cwd),
  fail: (store, { id, text }, { cwd }) => failTask(store, PERSON, taskId(id), text, cwd),
  land: async (store, { id, decision, place }, { cwd }) => {
    const { landingsOf } = await import("../../adapters/git/landing/landings.ts");
    const { askGit } = await import("../../project/own-git.ts");
    const landings = await landingsOf(cwd, askGit(cwd));
    const wanted = decision === "move" ? { kind: decision, place } : { kind: decision };
    const which = { team: store.team, task: taskId(id) };
    const { subject } = await landings.decide(store.landings, which, wanted, PERSON);
    return { data: null, text: `#${id} ${subject}: ${LAND_WORDS[decision](place)}` };
  },
  cron: async (store, { expression, text, to, task }) =>
    addCron(
      store,
      PERSON,
      await readCron({ expression, text, task, to: task || to === "" ? undefined : to }),
    ),
  review: async (store, { comments }, { settings, cwd, outcome }) => {
    const { review } = await import("../../team/actions/review.ts");
    const writers = (await outcome?.writersOf(comments.map(({ path }) => path))) ?? (() => null);
    return { data: null, text: await review(store, comments, writers, { settings, cwd }) };
  },
  steer: async (store, act, _actor) => {
    const { steer } = await import("./steer.ts");
    return { data: null, text: await steer(store, act) };
  },
  note: (store, { text, kind }) => addNote(store, PERSON, { text, kind, task: null, files: [] }),
  renote: (store, { id, text }) => changeNote(store, PERSON, id, text),
  uncron: (store, { id }) => cancelCron(store, PERSON, cronId(String(id))),
};

const LAND_WORDS: Readonly<Record<"move" | "drop" | "land", (place: number) => string>> = {
  move: (place) => `is now number ${place} in line.`,
  drop: () => "leaves the line; its owner is told, and its branch stays.",
  land: () => "lands next, as soon as its gate is green.",
};
