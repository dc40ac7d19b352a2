/** Changes the process that runs the team for a person: mode, model, effort, budget, the turn and the conversation of a member. */

import type { Order } from "../../core/board/orders.ts";
import { badInput } from "../../core/errors.ts";
import { name, PERSON, quote } from "../../core/ids.ts";
import { type Mode, readMode } from "../../core/permission/mode.ts";
import type { Choices } from "../../core/settings/choices.ts";
import { readEffort } from "../../core/settings/effort.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { withHost } from "../../host/attach/one-call.ts";
import type { Store } from "../../ports/index.ts";
import { modelsHere } from "../../project/models-here.ts";
import { give } from "../../team/actions/order.ts";
import type { Project } from "./project.ts";
import type { Act, Steering } from "./wire.ts";

type Steer = Extract<Act, { do: "steer" }>;

/** What a process of this machine says of itself, or else what the store says of those on others. */
export async function readSteering(
  store: Store,
  { settings, cwd }: Pick<Project, "settings" | "cwd">,
): Promise<Steering> {
  const here = await withHost({ ...settings, team: store.team }, cwd, async ({ state, call }) => {
    const efforts = await call("efforts");
    return {
      mode: state.mode,
      members: state.models.map(([who, model]) => {
        const found = efforts.find((one) => one.name === who);
        return { who, model, effort: found?.effort ?? "", note: found?.note ?? "" };
      }),
      offered: await modelsHere(
        settings,
        state.models.map(([, model]) => model),
      ),
      usd: state.limits.usd ?? 0,
      mostUsd: state.limits.mostUsd,
      usedUp: state.usedUp,
      sandbox: await call("sandbox"),
    };
  });
  return here ?? (await steeringOf(store, settings));
}

/** How the last run was told to work; null where no run has said so. */
export async function lastChoices({ journal }: Pick<Store, "journal">): Promise<Choices | null> {
  let last: Choices | null = null;
  for await (const { events } of journal.pages(journal.from(0), ["run.began", "team.resumed"]))
    for (const event of events) if ("how" in event && event.how) last = event.how;
  return last;
}

/** What a person has changed the mode to since the last run began; null where nobody has. */
export async function changedMode({ journal }: Pick<Store, "journal">): Promise<Mode | null> {
  let mode: Mode | null = null;
  for await (const { events } of journal.pages(journal.from(0), ["mode.changed", "team.resumed"]))
    for (const event of events) mode = event.type === "mode.changed" ? readMode(event.mode) : null;
  return mode;
}

async function steeringOf(store: Store, settings: Settings): Promise<Steering> {
  const { roster } = store;
  const mode = (await changedMode(store)) ?? settings.permissionMode;
  const members = await roster.members();
  const hosted = members.filter(({ host }) => host !== null);
  return {
    ...{ mode, offered: await modelsHere(settings), mostUsd: null, usedUp: null, sandbox: "" },
    members: hosted.map(({ name: who, model }) => ({ who, model, effort: "", note: "" })),
    usd: members.reduce((sum, { usd }) => sum + usd, 0),
  };
}

/** Resolves with a sentence. @throws EkidenError as `give` */
export const steer = async (store: Store, { what, who, value }: Steer): Promise<string> => {
  const { text } = await give(store, PERSON, ORDERS[what](value.trim(), who));
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
};

const ORDERS: Readonly<Record<Steer["what"], (value: string, who: string) => Order>> = {
  mode: (value) => ({ kind: "mode", mode: readMode(value) }),
  model: (model, who) => {
    if (model === "") throw badInput("Name a model, as provider/model.");
    return { kind: "model", model, who: orAll(who) };
  },
  effort: (value, who) => ({
    kind: "effort",
    effort: value === "" ? null : readEffort(value),
    who: orAll(who),
  }),
  budget: (value) => {
    const usd = value === "none" ? null : Number(value.replace(/^\$/, ""));
    if (usd !== null && !(usd > 0 && usd < 1e9 && value !== ""))
      throw badInput(`${quote(value)} is not an amount in US dollars, such as 5.`);
    return { kind: "budget", usd };
  },
  interrupt: (_, who) => ({ kind: "interrupt", who: name(who) }),
  compact: (_, who) => ({ kind: "compact", who: name(who), anew: false }),
  anew: (_, who) => ({ kind: "compact", who: name(who), anew: true }),
};

const orAll = (who: string) => (who === "" ? null : name(who));
