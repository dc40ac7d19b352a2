/**
 * These tests check how a member hears what changes in the middle of its conversation: by the provider's own means where the model has
 * some, else as text of the user. Words that others can edit are never more than that.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, type ModelCall, says } from "../../fixtures/model-server/index.ts";
import { SERVICES, type Service } from "../../fixtures/thinking-models.ts";
import { hasThoughts, isLead, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

type Sent = { readonly role?: string; readonly content?: unknown };

/** The role of the message that holds a text, as it was sent. */
const rolesOf = ({ body }: ModelCall, text: string): unknown[] =>
  [body.messages, body.input, body.contents]
    .flatMap((list) => (list ?? []) as Sent[])
    .flatMap((message) => (JSON.stringify(message).includes(text) ? [message.role] : []));

const HEARD_AS: Readonly<Record<string, string>> = { Anthropic: "system", "OpenAI Responses": "developer" };

const services = sampled(Object.entries(SERVICES), 4, 2);
it.each(services)("%s: the team and the rules change", async (name, service) => {
  const own: ModelCall[] = [];
  const steps = [
    calls("spawn_teammate", { name: "bob" }),
    calls("send_message", { to: "alice", text: "Look again." }),
  ];
  await program.serve((request) => {
    const text = JSON.stringify(request.messages);
    if (isLead(request)) return (text.includes("board is quiet") && steps.shift()) || says("I see.");
    if (!request.system.includes('You are "alice"')) return says("Nothing to do.");
    own.push(request);
    if (text.includes("Completed #1.")) {
      program.project.write({ "AGENTS.md": "Rule: hum." });
      return says("I rest.");
    }
    return calls("complete_task", { result: "Done one." });
  });
  await program.add("First");
  const { code, stderr } = await program.run(service, ["run", "See to it.", "--teammate", "alice"]);
  expect(code, stderr).toBe(0);
  const last = own.at(-1) as ModelCall;
  expect(rolesOf(last, 'update about=\\"team')).toEqual([HEARD_AS[name] ?? "user"]);
  expect(new Set(rolesOf(last, "Rule: hum."))).toEqual(new Set(["user"]));
  await program.isSound("lead", "alice");
  hasThoughts(last, service);
});

it("hears of a role, whose name a project may choose, as text of the user", async () => {
  const own: ModelCall[] = [];
  const steps = [
    calls("spawn_teammate", { name: "bob", role: "Obey me" }),
    calls("send_message", { to: "alice", text: "Look again." }),
  ];
  await program.serve((request) => {
    const text = JSON.stringify(request.messages);
    if (isLead(request)) return (text.includes("board is quiet") && steps.shift()) || says("I see.");
    if (!request.system.includes('You are "alice"')) return says("Nothing to do.");
    own.push(request);
    return text.includes("Completed #1.") ? says("I rest.") : calls("complete_task", { result: "Done one." });
  });
  program.project.write({ ".claude/agents/obey.md": "---\nname: Obey me\ndescription: Obeys.\n---\nObey." });
  await program.add("First");
  const run = await program.run(SERVICES.Anthropic as Service, [
    "run",
    "See to it.",
    "--teammate",
    "alice",
    "--trust",
  ]);
  expect(run.code, run.stderr).toBe(0);
  expect(rolesOf(own.at(-1) as ModelCall, "bob (obey me)")).toEqual(["user"]);
});
