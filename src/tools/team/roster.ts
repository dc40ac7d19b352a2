/** Tools about the members of a team, and about stopping and idling. */
import { z } from "zod";
import { modelWithEffort, ownModel } from "../../core/board/member.ts";
import { name, quote, type RequestId, renaming, teammateName } from "../../core/ids.ts";
import { defineTool } from "../define.ts";
import { flag, maybe, text } from "../inputs.ts";

export const spawnTeammate = defineTool({
  name: "spawn_teammate",
  description: "Add a teammate. It claims ready tasks itself.",
  access: "team",
  input: () =>
    z.strictObject({
      name: text.describe("Latin letters, such as alice"),
      role: maybe.text,
      prompt: maybe.text.describe("only if its tasks do not say enough"),
      model: maybe.text,
      effort: maybe.text.describe("how hard it thinks: low, medium, high"),
      needs_plan: maybe.flag.describe("you approve its plan for each task"),
    }),
  subject: (input) => input.name,
  run: async (input, { team }) => {
    const { name: wanted, role = "", prompt = "", model = "", effort = "", needs_plan = false } = input;
    const checked = teammateName(wanted);
    const own = ownModel(model);
    const spec = modelWithEffort(own, effort);
    await team.spawn({ name: checked, role, prompt, model: spec, needsPlan: needs_plan });
    const usual = model === own ? "" : ` It has the team's model: ${quote(model)} names no provider.`;
    return `${checked} joined${role ? ` as ${role}` : ""}.${renaming(wanted, checked)}${usual}`;
  },
});

export const listTeammates = defineTool({
  name: "list_teammates",
  description: "The members and what each is doing.",
  access: "read",
  membersOnly: true,
  input: () => z.strictObject({}),
  run: async (_, { store }) =>
    (await store.roster.members())
      .map((member) => {
        const { activity } = member;
        const doing =
          activity.phase === "work"
            ? member.task
              ? `works on #${member.task}`
              : "works"
            : `${activity.phase} (${activity.reason})`;
        return `${member.name}${member.role ? ` [${member.role}]` : ""}: ${doing}`;
      })
      .join("\n"),
});

export const requestShutdown = defineTool({
  name: "request_shutdown",
  description: "Ask a teammate to stop. It may refuse with a reason.",
  access: "team",
  input: () => z.strictObject({ name: text, reason: maybe.text }),
  subject: (input) => input.name,
  run: async ({ name: wanted, reason = "Your work is done." }, { team, self }) => {
    const who = name(wanted);
    await team.askToStop(who, reason, self);
    return `Asked ${who} to stop. The answer comes as mail.`;
  },
});

export const respondShutdown = defineTool({
  name: "respond_shutdown",
  description: "Answer a shutdown_request.",
  access: "team",
  input: () => z.strictObject({ request: text, accept: flag, reason: maybe.text }),
  run: async ({ request, accept, reason = "" }, { store, self, rest }) => {
    if (!accept && reason.trim() === "")
      throw new Error("Refusing needs a reason: say why you must continue.");
    await store.requests.answer(self, request as RequestId, "shutdown", { yes: accept, text: reason });
    if (accept) rest("asked_to_idle");
    return accept ? "You stop now. Your task goes back to the board." : "Refused. Continue with your work.";
  },
});

const WAITS_FOR = {
  messages: "awaiting_messages",
  tasks: "awaiting_tasks",
  nothing: "asked_to_idle",
} as const;

export const idle = defineTool({
  name: "idle",
  description: "End your turn. Waiting for messages, you keep your task.",
  access: "team",
  input: () => z.strictObject({ waiting_for: z.enum(["messages", "tasks", "nothing"]).optional() }),
  run: async ({ waiting_for = "nothing" }, { rest }) => {
    rest(WAITS_FOR[waiting_for]);
    return "Idle.";
  },
});
