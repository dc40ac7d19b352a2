/** A provider that refuses the conversation, over HTTP: it would refuse it at every turn, because every turn sends it again. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import {
  type Answer,
  type ModelCall,
  type ModelServer,
  runs,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { type Ended, Project } from "../cli-program.ts";

let project: Project;
let server: ModelServer;
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await server.close();
  await project.end();
});

const refusal = (message: string): Answer => ({ status: 400, kind: "invalid_request_error", message });
const textsOf = ({ messages }: ModelCall): string => JSON.stringify(messages);
const run = (...args: string[]): Promise<Ended> =>
  project.run([...args, "--model", "anthropic/claude-haiku-4-5"], { env: server.env });

/** A lead that runs a command and then says "done", at a provider that refuses what `isBad` names. */
async function strict(isBad: (request: ModelCall) => boolean): Promise<ModelCall[]> {
  const refused: ModelCall[] = [];
  server = await startModelServer({
    any: (request) => {
      if (isBad(request)) {
        refused.push(request);
        return refusal("messages.2.content.0: this part is not accepted");
      }
      if (request.messages.length === 1 && !textsOf(request).includes("refused your"))
        return runs("printf 'before\\001after'; echo zebra");
      return says("done");
    },
  });
  return refused;
}

it("continues without a character that it refuses, and tells the member and the person", async () => {
  const refused = await strict((request) => textsOf(request).includes("\\u0001"));
  const { code, stdout, stderr } = await run("run", "Do it.");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "done\n" });
  expect(refused).toHaveLength(1);
  const last = server.requests.at(-1)?.messages ?? [];
  const told = last.map(textOf).join("\n");
  expect(told).toContain("The provider refused your conversation");
  expect(told).toContain("beforeafter");
  expect(told).toContain("zebra");
  expect(told).toContain("Do it.");
  expect((await project.run(["log"])).stdout).toMatch(
    /refused the conversation of lead .*not accepted.* It accepted it as plain text/,
  );
  // It is not sent again, also not by the next process.
  await run("resume");
  expect(refused).toHaveLength(1);
});

it("continues without its earlier part where no form of that is accepted", async () => {
  const refused = await strict((request) => textsOf(request).includes("zebra"));
  const { code, stdout } = await run("run", "Do it.");
  expect([code, stdout]).toEqual([0, "done\n"]);
  expect(refused).toHaveLength(2);
  const told = (server.requests.at(-1)?.messages ?? []).map(textOf).join("\n");
  expect(told).toContain("without its earlier part");
  expect(told).toContain("Do it.");
});

it("changes nothing where every form is refused", async () => {
  const refused = await strict((request) => textsOf(request).includes("zebra") || refused.length > 0);
  const { code, stderr } = await run("run", "Do it.");
  expect(code).toBe(3);
  expect(stderr).toContain("this part is not accepted");
  expect(refused).toHaveLength(3);
  expect((await project.run(["transcript", "lead"])).stdout).not.toContain("refused your conversation");
});

it.each([
  ["messages.0.content.0: this part is not accepted", 0],
  ["Your credit balance is too low to access the Anthropic API.", 0],
  ["Your credit balance is too low to access the Anthropic API.", 1],
  ["prompt is too long: 210000 tokens > 200000 maximum", 0],
])("sends nothing again that is refused with %j after %i replies", async (message, replies) => {
  server = await startModelServer({
    any: ({ nth }) => (nth <= replies ? runs("echo zebra") : refusal(message)),
  });
  const { code, stderr } = await run("run", "Do it.");
  expect(code).toBe(3);
  expect(stderr).toContain(message.replace(/\.$/, ""));
  expect(server.requests).toHaveLength(replies + 1);
});

it("keeps what the person cleared out of the form that is accepted, and of later summaries", async () => {
  const refused = await strict((request) => textsOf(request).includes("\\u0001"));
  const input = "Keep the OLD goal.\n/clear\nDo it.\n/compact\n";
  const { code } = await project.run(["--model", "anthropic/claude-haiku-4-5"], {
    env: server.env,
    input,
  });
  expect(code).toBe(0);
  expect(refused.length).toBeGreaterThan(0);
  const { entries } = await project.json<{ entries: { entry: { kind: string; text?: string } }[] }>([
    "transcript",
    "lead",
  ]);
  const summaries = entries.flatMap(({ entry }) => (entry.kind === "summary" ? [entry.text ?? ""] : []));
  const [anew, refusedForm, last] = summaries.slice(-3);
  expect(anew).toContain("The person has begun a new conversation with you.");
  expect(refusedForm).toContain("The provider refused your conversation");
  expect(last).toContain("Do it.");
  for (const text of [anew, refusedForm, last]) expect(text).not.toContain("OLD goal");
});
