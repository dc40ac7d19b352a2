/** Tools for plans that the lead approves before anything is changed. The gate is a wrap (runtime/wraps/plan-approval.ts). */
import { z } from "zod";
import { LEAD, later, name, type RequestId } from "../../core/ids.ts";
import type { Tool } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { flag, maybe, text } from "../inputs.ts";

/** For teammates whose tasks need plans. `deadlineMs`: how long the answer may take. */
export const submitPlan = (deadlineMs: number): Tool =>
  defineTool({
    name: "submit_plan",
    description: "Submit a plan (steps, files, risks, checks) and wait.",
    access: "team",
    input: () => z.strictObject({ plan: text }),
    run: async ({ plan }, { store, self, clock, rest }) => {
      if (plan.trim() === "") throw new Error("The plan is empty. Describe in `plan` what you will do.");
      const task = await store.board.mine(self);
      if (!task) throw new Error("You have no task. Claim one, then plan it.");
      const earlier = await store.requests.planFor(task.id, task.attempt);
      if (earlier?.state === "answered" && earlier.answer?.yes)
        return `Your plan for #${task.id} is already approved. Continue with it.`;
      const ask = { kind: "plan", task: task.id, attempt: task.attempt, plan } as const;
      const request = await store.requests.ask(self, LEAD, ask, later(clock.now(), deadlineMs));
      rest("awaiting_plan");
      return request.ask.kind === "plan" && request.ask.plan !== plan
        ? `Your earlier plan for #${task.id} still waits, so this one was not submitted. Wait for the answer.`
        : `Submitted your plan for #${task.id} (request ${request.id}). The answer comes as mail. Until then no call of yours is run.`;
    },
  });

/** For the lead when plans wait for an answer. */
export const reviewPlan = defineTool({
  name: "review_plan",
  description: "Answer a plan_submission. Rejecting needs feedback.",
  access: "team",
  input: () => z.strictObject({ request: text, approve: flag, feedback: maybe.text }),
  subject: ({ request, approve }) => `${request} ${approve ? "yes" : "no"}`,
  run: async ({ request, approve, feedback = "" }, { store, self, seat, answer }) => {
    if (!approve && feedback.trim() === "")
      throw new Error("A rejection needs feedback: say what must change.");
    const said = `${approve ? "Approved" : "Rejected"} the plan of request ${request}.`;
    await store.requests.answer(
      self,
      request as RequestId,
      "plan",
      { yes: approve, text: feedback },
      { seat, entry: answer(said) },
    );
    return said;
  },
});

/** For a lead with teammates. */
export const requestPlan = defineTool({
  name: "request_plan",
  description: "Make a teammate plan before it changes more.",
  access: "team",
  input: () => z.strictObject({ name: text, text: maybe.text }),
  subject: (input) => input.name,
  run: async ({ name: wanted, text = "" }, { store, self }) => {
    const who = name(wanted);
    const task = await store.board.mine(who);
    if (!task)
      throw new Error(`${who} has no task. To require a plan, create or update a task with needs_plan.`);
    const plan = await store.requests.planFor(task.id, task.attempt);
    if (plan?.state === "answered" && plan.answer?.yes)
      throw new Error(`The plan of ${who} for #${task.id} is already approved. Send a message instead.`);
    await store.board.change(task.id, { needsPlan: true }, self);
    await store.mail.send(self, { to: who, body: { kind: "plan_request", task: task.id, text } });
    return `Asked ${who} for a plan for #${task.id}. It comes as mail.`;
  },
});
