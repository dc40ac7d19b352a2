/** Changes the process that runs the team for a person: mode, model, effort, budget, the turn and the conversation of a member. */

import { badInput, notFound } from "../../core/errors.ts";
import { name, quote } from "../../core/ids.ts";
import { MODES, type Mode } from "../../core/permission/mode.ts";
import { readEffort } from "../../core/settings/effort.ts";
import { money } from "../../core/views/view.ts";
import { type Caller, withHost } from "../../host/attach/one-call.ts";
import type { Store } from "../../ports/index.ts";
import type { Actor } from "./acts.ts";
import type { Act, Steering } from "./wire.ts";

type Steer = Extract<Act, { do: "steer" }>;

/** Null where nobody here can be asked. */
export async function readSteering(store: Store, { settings, cwd }: Actor): Promise<Steering | null> {
  return await withHost({ ...settings, team: store.team }, cwd, async ({ state, call }) => {
    const efforts = await call("efforts");
    return {
      mode: state.mode,
      members: state.models.map(([who, model]) => {
        const found = efforts.find((one) => one.name === who);
        return { who, model, effort: found?.effort ?? "", note: found?.note ?? "" };
      }),
      offered: await call("offeredModels"),
      usd: state.limits.usd ?? 0,
      mostUsd: state.limits.mostUsd,
      usedUp: state.usedUp,
      sandbox: await call("sandbox"),
    };
  });
}

/** Resolves with a sentence. @throws EkidenError `not_found` where no process takes it, and what the host says */
export async function steer(store: Store, act: Steer, { settings, cwd }: Actor): Promise<string> {
  const said = await withHost({ ...settings, team: store.team }, cwd, (host) => STEERS[act.what](host, act));
  if (said !== null) return said;
  throw notFound(
    "No process of this machine runs the team. Start it in Run, or go to the machine that runs it.",
  );
}

type Done = (host: Caller, act: Steer) => Promise<string>;
const STEERS: Readonly<Record<Steer["what"], Done>> = {
  mode: async ({ call }, { value }) => {
    const mode = MODES.find((one) => one === value);
    if (!mode) throw badInput(`${quote(value)} is not a mode. Modes: ${MODES.join(", ")}.`);
    await call("useMode", mode);
    return `Mode ${mode}, from the next call on: ${MODE_WORDS[mode]}.`;
  },
  model: async ({ call }, { value, who }) => {
    if (value.trim() === "") throw badInput("Name a model, as provider/model.");
    await call("useModel", value.trim(), orAll(who));
    return `${who || "The team"} uses ${value.trim()} from the next call on.`;
  },
  effort: async ({ call }, { value, who }) => {
    const effort = value === "" ? undefined : readEffort(value);
    await call("useEffort", effort, orAll(who));
    return `${who || "The team"} thinks ${effort ? `with effort ${effort}` : "as the settings say"} from the next call on.`;
  },
  budget: async ({ call }, { value }) => {
    const usd = value === "none" ? null : Number(value.trim().replace(/^\$/, ""));
    if (usd !== null && !(usd > 0 && usd < 1e9 && value.trim() !== ""))
      throw badInput(`${quote(value)} is no sum in US dollars, such as 5.`);
    const over = await call("allowMore", { usd });
    if (over) return `That is not enough: ${over.text}`;
    return usd === null ? "The team has no limit now." : `The team may spend ${money(usd)} more.`;
  },
  interrupt: async ({ call }, { who }) => {
    await call("interruptMember", name(who));
    return `${who} was interrupted. It keeps its task and waits for a word from you.`;
  },
  compact: async ({ call }, { who }) => summedUp(who, await call("compact", name(who), false)),
  anew: async ({ call }, { who }) => summedUp(who, await call("compact", name(who), true)),
};

const orAll = (who: string) => (who === "" ? undefined : name(who));

const summedUp = (who: string, done: { readonly before: number; readonly after: number } | null): string =>
  done === null
    ? `The conversation of ${who} has nothing to sum up yet.`
    : `The conversation of ${who} has ${done.after} tokens now; it had ${done.before}.`;

const MODE_WORDS: Readonly<Record<Mode, string>> = {
  plan: "members read, and change nothing",
  default: "members ask before they change files and run commands",
  "accept-edits": "members change files, and ask before they run commands",
  bypass: "members ask nothing",
};
