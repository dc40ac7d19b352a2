/** What each order of the person does in a process of the team. */

import type { Order } from "../core/board/orders.ts";
import { type Recruit, recruit } from "../core/board/recruit.ts";
import type { Fact } from "../core/event.ts";
import type { Name } from "../core/ids.ts";
import type { Mode } from "../core/permission/mode.ts";
import { MODE_WORDS } from "../core/permission/mode.ts";
import { money } from "../core/views/view.ts";
import type { Store } from "../ports/index.ts";
import type { Team } from "../runtime/team/team.ts";
import type { MemberModels } from "./models/member-models.ts";
import type { Spending } from "./money/spending.ts";
import type { Parts } from "./parts.ts";

/** What a process has that an order changes. */
export type Obeying = {
  readonly store: Store;
  readonly agents: Pick<Parts["agents"], "refuse">;
  readonly models: MemberModels;
  readonly spending: Pick<Spending, "allowMore">;
  readonly team: Pick<Team, "interrupt" | "compact" | "names">;
  readonly useMode: (mode: Mode) => void;
  /** @throws EkidenError `name_taken`, or the one of an agent program that is not there */
  readonly addTeammate: (mate: Recruit) => Promise<void>;
};

/** `fact`: beside the end of the order, which one process of the team writes. */
type Obeyed = { readonly text: string; readonly value?: unknown; readonly fact?: Fact };
type Acts = {
  readonly [K in Order["kind"]]: (
    own: Obeying,
    order: Extract<Order, { kind: K }>,
    by: Name,
  ) => Obeyed | Promise<Obeyed>;
};

const ACTS: Acts = {
  mode: ({ useMode }, { mode }, by) => {
    useMode(mode);
    return { text: `mode ${mode}: ${MODE_WORDS[mode]}`, fact: { type: "mode.changed", mode, by } };
  },
  model: async ({ agents, models }, { model, who }, by) => {
    if (who !== null) agents.refuse(who, "chooses its model itself, by its own settings");
    await models.replace(model, who ?? undefined);
    const text = `${who ?? "the team"} uses ${model} from the next call on`;
    return { text, fact: { type: "model.changed", who, model, by } };
  },
  effort: ({ models }, { effort, who }, by) => {
    models.think(effort ?? undefined, who ?? undefined);
    const how = effort ? `with effort ${effort}` : "as the settings say";
    const text = `${who ?? "the team"} thinks ${how} from the next call on`;
    return { text, fact: { type: "effort.changed", who, effort, by } };
  },
  budget: ({ spending }, { usd, tokens }) => {
    const over = spending.allowMore({
      ...(usd !== undefined && { usd: usd ?? Number.POSITIVE_INFINITY }),
      ...(tokens !== undefined && { tokens: tokens ?? Number.POSITIVE_INFINITY }),
    });
    if (over) return { text: `that is not enough: ${over.text}`, value: over };
    if (usd === null) return { text: "the team has no limit now" };
    return { text: usd === undefined ? "the team may continue" : `the team may spend ${money(usd)} more` };
  },
  spawn: async ({ addTeammate }, { spawn }) => {
    const mate = recruit(spawn);
    await addTeammate(mate);
    return {
      text: `${mate.name} has joined and takes ready tasks`,
    };
  },
  interrupt: ({ team }, { who }) => {
    team.interrupt(who, "person");
    return {
      text: `${who} was interrupted: it waits for a message (ekiden send ${who} TEXT) and keeps what it has`,
    };
  },
  compact: async ({ agents, team }, { who, anew }) => {
    agents.refuse(who, "keeps its conversation, and keeps it small, by itself");
    const value = await team.compact(who, anew);
    const text =
      value === null
        ? `the conversation of ${who} has nothing to sum up yet`
        : `the conversation of ${who} has ${value.after} tokens now; it had ${value.before}`;
    return { text, value };
  },
  cut: async ({ agents, team }, { who, call }) => {
    agents.refuse(who, "keeps its conversation by itself");
    await team.compact(who, { call });
    return { text: `the conversation of ${who} continues after that call` };
  },
};

/** @throws EkidenError of the part that refuses it */
export const obey = async (own: Obeying, order: Order, by: Name): Promise<Obeyed> =>
  await (ACTS[order.kind] as Acts["mode"])(own, order as Extract<Order, { kind: "mode" }>, by);
