/** Everything a provider can do wrong, one after the other, to one teammate with one task. */
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import { LEAD, name } from "../../../src/core/ids.ts";
import type { Model } from "../../../src/ports/index.ts";
import { type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import {
  type Answer,
  calls,
  fails,
  type ModelCall,
  type ModelServer,
  refuses,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";

type Staged = { readonly team: HostedTeam; readonly server: ModelServer; readonly model: Model };

async function staged(program: (request: ModelCall) => Answer, fallback?: string): Promise<Staged> {
  const server = await startModelServer({ any: program });
  const options = { env: server.env, clock: systemClock, random: () => 0, stallMs: 3_000 };
  const model = await openModel("anthropic/claude-haiku-4-5", options);
  const agent = fallback ? { fallback: await openModel(fallback, options) } : {};
  const team = await hostedTeam({ model: () => model, agent });
  onTestFinished(async () => {
    await team.close();
    await server.close();
  });
  await team.store.board.add({ subject: "carry on", description: "whatever happens" }, LEAD);
  return { team, server, model };
}
const words = ({ messages }: ModelCall): string => JSON.stringify(messages);

it("brings a task to its end through every fault there is", async () => {
  const faults: Answer[] = [
    says("half of", { fault: "cut" }),
    says("half of", { fault: "end early" }),
    says("half of", { fault: "break" }),
    says("half of", { fault: "stall" }),
    fails.rateLimited(0),
    fails.overloaded(),
    fails.broken(500),
    { calls: [{ tool: "list_tasks", raw: '{"a": ' }] },
    calls("list_everything"),
    says("a long", { stop: "length" }),
    fails.overflow.anthropic(),
    says("Goal: carry on. Done: a lot."), // the summary
    refuses(),
    {},
    calls("complete_task", { result: "carried on" }),
  ];
  const { team, server } = await staged(({ nth }) => faults[nth - 1] ?? says("There."));
  await team.join("alice");
  await team.until("teammate.phase", { who: "alice", phase: "idle", reason: "no_tool_use" });

  const [task] = await team.store.board.tasks();
  expect(task).toMatchObject({ status: "completed", attempt: 1, result: "carried on" });
  const at = (n: number): string => words(server.requests[n - 1] as ModelCall);
  expect(at(9)).toContain("not");
  expect(at(10)).toContain('There is no tool \\"list_everything\\"');
  expect(server.requests[9]?.body).not.toHaveProperty("max_tokens", 64_000);
  expect(server.requests[10]?.body).toHaveProperty("max_tokens", 64_000);
  expect(server.requests[11]?.tools).toEqual([]);
  expect(at(13)).toContain("Done: a lot.");
  expect(at(13)).toContain("whatever happens");
  expect(at(14)).toContain("filter stopped your last answer");
  expect(at(15)).not.toContain("half of");
  const facts = await team.events("context.compacted");
  expect(facts).toMatchObject([{ layer: "summary" }]);
});

it("continues with the fallback model of another provider while the main one is overloaded", async () => {
  const { team, server } = await staged(
    ({ protocol, nth }) =>
      protocol === "anthropic"
        ? fails.overloaded()
        : nth === 4
          ? calls("complete_task", { result: "by the other" })
          : says("Done."),
    "openai/gpt-5-mini",
  );
  await team.join("alice");
  await team.until("task.completed");
  expect(server.requests.slice(0, 4).map(({ protocol }) => protocol)).toEqual([
    "anthropic",
    "anthropic",
    "anthropic",
    "responses",
  ]);
  const [warning] = await team.events("warning.raised");
  expect(warning).toMatchObject({ who: "alice", text: expect.stringContaining("openai/gpt-5-mini") });
});

it("continues at once with another model of the same provider, though the main one asks for a long wait", async () => {
  const { team, server } = await staged(
    ({ model, nth }) =>
      model.includes("haiku")
        ? fails.rateLimited(600)
        : nth === 2
          ? calls("complete_task", { result: "by the other" })
          : says("Done."),
    "anthropic/claude-sonnet-5-5",
  );
  await team.join("alice");
  await team.until("task.completed");
  expect(server.requests.slice(0, 2).map(({ model }) => model)).toEqual([
    "claude-haiku-4-5",
    "claude-sonnet-5-5",
  ]);
});

it("gives up at once on a key that is refused, and the lead's mailbox says why", async () => {
  const { team, server } = await staged(() => fails.unauthorized());
  await team.join("lead");
  await team.join("alice");
  await team.until("teammate.phase", { who: "alice", phase: "shutdown", reason: "failed" });
  expect(server.requests.length).toBeLessThanOrEqual(2);
  const box = await team.store.mail.box(LEAD);
  const stopped = box.find(({ from, body }) => from === name("alice") && body.kind === "stopped");
  expect(stopped?.body).toMatchObject({ released: [1], text: expect.stringContaining("ANTHROPIC_API_KEY") });
});

it("puts a final answer together that the output limit cut in pieces, and asks for a cut call in smaller ones", async () => {
  const replies: Answer[] = [
    { calls: [{ tool: "write_file", raw: '{"path":"a","content":"abc' }], stop: "length" },
    { calls: [{ tool: "write_file", raw: '{"path":"a","content":"abc' }], stop: "length" },
    calls("complete_task", { result: "carried on" }),
    says("The first half, ", { stop: "length" }),
    says("the second, ", { stop: "length" }),
    says("and the third."),
  ];
  const { team, server } = await staged(({ nth }) => replies[nth - 1] ?? says("There."));
  await team.join("alice");
  await team.until("teammate.phase", { who: "alice", phase: "idle", reason: "no_tool_use" });
  const told = (await team.store.mail.box(LEAD)).flatMap(({ body }) =>
    body.kind === "result" ? [body.text] : [],
  );
  expect(told).toEqual(["The first half, the second, and the third."]);
  expect(words(server.requests[2] as ModelCall)).toMatch(
    /Not run: .* in the middle of this write_file\. .*smaller/,
  );
});

it("runs many calls of one reply a few at a time, and keeps quiet about it", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const many = Array.from({ length: 30 }, (_, i) => ({ tool: "bash", input: { command: `echo ${i}` } }));
  const { team, server } = await staged(({ nth }) => (nth === 1 ? { calls: many } : says("There.")));
  await team.join("alice");
  const second = await server.arrived(2);
  expect(second.messages.at(-1)?.content.map((part) => part.type === "result" && part.text)).toEqual(
    many.map((_, i) => String(i)),
  );
  expect(warnings).toEqual([]);
});
