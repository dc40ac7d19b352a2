/** `ekiden landings`: the landing queue of the repository; with an ID, a person moves, drops or lands one. */
import { type Decision, landingsOf } from "../../../adapters/git/landing/landings.ts";
import { badInput, orElse } from "../../../core/errors.ts";
import { PERSON, quote, taskId } from "../../../core/ids.ts";
import { type LandingsData, landingsData, landingsViews } from "../../../core/views/landing.ts";
import { withTeam } from "../../../project/open.ts";
import { askGit } from "../../../project/own-git.ts";
import { redNow } from "../../../team/queries/red-target.ts";
import { wholeNumber } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

const LANDED_SHOWN = 10;
const NO_LANDINGS: LandingsData = { waiting: [], reserved: [], landed: [] };

export const run: Run = async (call, [id, action, ...more]) => {
  const { team } = await call.settings();
  const landings = await landingsOf(call.cwd, askGit(call.cwd));
  if (id === undefined) {
    const data = withTeam(call, "look", async (of) => {
      const { landings: store } = of;
      const [queue, landed] = [await landings.queue(store), await landings.landed(store, LANDED_SHOWN)];
      return { ...landingsData(queue, landed, Date.now()), ...(await redNow(of)) };
    });
    await call.show(await orElse(data, "not_found", NO_LANDINGS), landingsViews);
    return undefined;
  }
  const task = taskId(id);
  const decision = decisionOf(task, action, more);
  const entry = await withTeam(call, "use", (store) =>
    landings.decide(store.landings, { team, task }, decision, PERSON),
  );
  const { subject, branch } = entry;
  call.done({
    data: { task, team, branch, ...decision },
    text: `#${task} ${subject}: ${SAID[decision.kind](decision)}`,
  });
  return undefined;
};

function decisionOf(task: number, action: string | undefined, more: readonly string[]): Decision {
  if (action === "move" && more.length <= 1)
    return { kind: "move", place: wholeNumber("the place", more[0] ?? "1") };
  if ((action === "drop" || action === "land") && more.length === 0) return { kind: action };
  throw badInput(
    `ekiden landings ${task} ${quote([action ?? "", ...more].join(" ").trim())} is not a command. Use ekiden landings ${task} move [PLACE], drop or land.`,
  );
}

const SAID: { readonly [K in Decision["kind"]]: (decision: Decision) => string } = {
  move: (decision) => `is now number ${"place" in decision ? decision.place : 1} in line.`,
  drop: () => "leaves the line; its owner is told, and its branch stays.",
  land: () => "lands next, as soon as its gate is green, and waits for no reservation.",
};
