/** A member whose model is an agent program: the calls that ask for it, and their results at once. */
import type { Feature } from "../../runtime/agent/agent.ts";
import { agentProgramTools } from "../../tools/agent-program.ts";
import type { HostedModel } from "../hosted/hosted-model.ts";

export const agentProgram = (model: HostedModel): Feature => ({
  tools: () =>
    agentProgramTools({
      give: (nth, text) => model.requests.give(nth, text),
      endOf: (nth) => model.requests.endOf(nth),
    }),
  afterRound(round) {
    model.answered(round.flatMap((entry) => (entry.kind === "result" ? [entry.result] : [])));
    return null;
  },
  // Another member may get the task: the program does nothing more for it.
  beforeRelease: () => model.cancel(),
});
