/** A terminal reaches the process of its team, or starts it; where no model is set up, the person chooses one first. */
import { EkidenError, orElse } from "../../core/errors.ts";
import { AttachedHost, type Reached } from "../../host/attach/attached-host.ts";
import { openTeam } from "../../project/open.ts";
import { RAISE } from "../commands/slash/budget.ts";
import type { Invocation } from "../kit/invocation.ts";
import type { FirstModel } from "./ask/first-model.ts";
import { given, reachTeam } from "./reach-team.ts";
import type { Screen } from "./screen.ts";
import type { Live } from "./watch.ts";

/** Facts that a terminal begins with: what members said and did before it came. */
const RECALLED = 200;

/** As `attach`; where no model is set up, the person chooses one. */
export async function attachWithModel(
  call: Invocation,
  live: Live,
  screen: Screen,
  gone: AbortSignal,
): Promise<AttachedHost> {
  try {
    return await attach(call, live, screen, gone);
  } catch (error) {
    if (!(error instanceof EkidenError) || error.code !== "model_missing") throw error;
    const chosen = await chooseModel(call, screen, error.message);
    if (chosen === null) throw error;
    const { words = given(), env } = call;
    const next = { ...call, env: { ...env, ...chosen.env }, words: [...words, ...chosen.words] };
    return await attachWithModel(next, live, screen, gone);
  }
}

/** A team that is there is shown while its process is reached, or started. */
async function attach(
  call: Invocation,
  live: Live,
  screen: Screen,
  signal: AbortSignal,
): Promise<AttachedHost> {
  const onUsedUp = (text: string): void => screen.warn(`${text} ${RAISE}`);
  const reaching = reachTeam(call, signal);
  reaching.catch(() => {});
  let store = await orElse(openTeam(call, "use"), "not_found", null);
  try {
    if (store) await live.open(store, RECALLED);
    let reached: Reached | null = await reaching;
    if (!store) {
      store = await openTeam(call, "use");
      await live.open(store, RECALLED);
    }
    const reach = async (): Promise<Reached> => {
      const next = reached ?? (await reachTeam(call, signal));
      reached = null;
      return next;
    };
    return await AttachedHost.open({ reach, store, told: { ...live.told, onUsedUp }, onNow: live.now });
  } catch (error) {
    await store?.close();
    throw error;
  }
}

/** Null: the person leaves. */
async function chooseModel(call: Invocation, screen: Screen, why: string): Promise<FirstModel | null> {
  const { FirstModelView } = await import("./ask/first-model.ts");
  return await new Promise((resolve) => {
    const chosen = (model: FirstModel | null): void => {
      screen.tools.show(null);
      resolve(model);
    };
    const parts = {
      style: screen.style,
      env: call.env,
      folder: call.cwd,
      why,
      chosen,
      changed: () => screen.changed(),
    };
    screen.tools.show(new FirstModelView(parts), false);
  });
}
