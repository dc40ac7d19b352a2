/**
 * These tests check how large a first request is, and how long a provider is asked to keep what members share: an hour where
 * nobody else reads it while its member waits.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import { calls, type ModelCall, says } from "../../fixtures/model-server/index.ts";
import { SERVICES, type Service, serviceEnv } from "../../fixtures/thinking-models.ts";
import { isLead, lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

type Marked = { readonly cache_control?: { readonly ttl?: string } };
/** The lifetimes of the marks on the system prompt and on the shared text. */
const lifetimes = ({ body }: ModelCall): (string | undefined)[] => {
  const { system, messages } = body as {
    system: readonly Marked[];
    messages: readonly { content: readonly Marked[] }[];
  };
  return [system[0], messages[0]?.content.find((block) => block.cache_control)].map(
    (block) => block?.cache_control?.ttl,
  );
};

it.each([
  [1, ["1h", "1h"]],
  [2, [undefined, undefined]],
])("a team with %d teammates", async (count, ofTeammates) => {
  await program.serve((request) => {
    if (isLead(request)) return says("I see.");
    return lastOf(request).includes("auto-claimed")
      ? calls("complete_task", { result: "ok" })
      : says("Done.");
  });
  program.project.write({ "AGENTS.md": "Be brief.\n" });
  for (let n = 0; n < 2; n += 1) await program.add(`Part ${n}`);
  const run = await program.run(SERVICES.Anthropic as Service, ["run", "All.", "--teammates", String(count)]);
  expect(run.code, run.stderr).toBe(0);
  const { requests } = program.server;
  expect(requests.filter((one) => !isLead(one)).length).toBeGreaterThan(1);
  for (const request of requests)
    expect(lifetimes(request)).toEqual(isLead(request) ? ["1h", "1h"] : ofTeammates);
});

it("the first request of a teammate is within 3,000 tokens, also in a team of 10 and with the web", async () => {
  const first = new Map<string, number>();
  await program.serve((request) => {
    if (isLead(request)) return says("I see.");
    const { system, tools, messages } = request.body as Record<string, readonly unknown[]>;
    const isFirst = messages?.length === 1;
    const who = /You are "(\w+)"/.exec(request.system)?.[1] ?? "";
    // Four characters a token, as estimates go; temporary folders of some machines have long names.
    const text = JSON.stringify([system, tools, messages?.[0]]).replaceAll(
      program.project.dir,
      "/home/alice/project",
    );
    if (isFirst) first.set(who, text.length / 4);
    return isFirst ? calls("complete_task", { result: "ok" }) : says("Done.");
  });
  for (let n = 0; n < 10; n += 1) await program.add(`Part ${n}`);
  const args = [
    "run",
    "All.",
    "--model",
    "anthropic/claude-sonnet-5-5",
    "--teammates",
    "10",
    ...["--permission-mode", "bypass"],
  ];
  const run = await program.project.run(args, { env: serviceEnv(program.server) });
  expect(run.code, run.stderr).toBe(0);
  expect(first.size).toBeGreaterThan(0);
  expect(program.server.requests.find((one) => !isLead(one))?.tools).toContain("web_search");
  expect(Math.max(...first.values())).toBeLessThanOrEqual(3_000);
});
