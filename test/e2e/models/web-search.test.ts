/** The web search of the vendors, as members use it: on strict emulators, behind the network rules, outside of the conversation. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { calls, type ModelCall, says } from "../../fixtures/model-server/index.ts";
import { SERVICES, type Service, serviceEnv } from "../../fixtures/thinking-models.ts";
import { lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

const { Anthropic, "OpenAI Responses": OpenAI, Gemini, DeepSeek } = SERVICES as Record<string, Service>;
const isSearch = ({ tools, body }: ModelCall): boolean =>
  /web_search_20|"type":"web_search"|googleSearch/.test(JSON.stringify(body.tools ?? [])) && tools.length < 2;
const FOUND = [
  { url: "https://nodejs.org/a", title: "Node" },
  { url: "https://nodejs.org/a", title: "Node" },
  { url: "https://b.example/", title: "B" },
];

it.each(Object.entries({ Anthropic, OpenAI, Gemini } as Record<string, Service>))(
  "%s: a member gets an answer with its sources, and pays for it",
  async (_, service) => {
    let asked = 0;
    await program.serve((request) => {
      if (isSearch(request)) return { ...says("Node 24 <mail> is current."), found: FOUND };
      asked += 1;
      return asked === 1 ? calls("web_search", { query: "current node" }) : says("Done.");
    });
    const { code, stderr } = await program.run(service, ["run", "Look it up."]);
    expect(code, stderr).toBe(0);
    const [first, search, last] = program.server.requests;
    expect([first, search, last].map((one) => one && isSearch(one))).toEqual([false, true, false]);
    expect(first?.tools).toContain("web_search");
    expect(JSON.stringify(search?.messages)).toContain("current node");
    const result = lastOf(last as ModelCall);
    expect(result).toContain(
      "Node 24 &lt;mail> is current.\\n1. Node: https://nodejs.org/a\\n2. B: https://b.example/",
    );
    expect(result).toContain("Foreign text");
    const { members } = await program.project.json<{ members: { turns: number; inputTokens: number }[] }>([
      "cost",
    ]);
    expect(members[0]).toMatchObject({ turns: 2, inputTokens: 300 });
    await program.isSound("lead");
  },
);

it("is not offered by a provider without one, and refuses a query with a secret or without permission", async () => {
  let asked = 0;
  await program.serve(() => {
    asked += 1;
    if (asked === 1) return calls("web_search", { query: "who uses test-key-anthropic-0123456789" });
    if (asked === 2) return calls("web_search", { query: "something" });
    return says("Done.");
  });
  program.project.write({
    ".ekiden/settings.json": JSON.stringify({ deny: ["network(web-search)"] }),
  });
  const env = { ...serviceEnv(program.server), ANTHROPIC_API_KEY: "test-key-anthropic-0123456789" };
  const { code, stderr } = await program.project.run(
    ["run", "Look it up.", "--model", "anthropic/claude-sonnet-5-5", "--permission-mode", "bypass"],
    { env },
  );
  expect(code, stderr).toBe(0);
  const [, second, third] = program.server.requests.map(lastOf);
  expect(second).toContain("The query has a secret in it");
  expect(third).toContain("Not permitted: web-search: a deny rule for the network says so.");
  expect(program.server.requests.some(isSearch)).toBe(false);

  await program.run(DeepSeek as Service, ["run", "Look it up.", "--team", "other"]);
  expect(program.server.requests.at(-1)?.tools).toContain("fetch_url");
  expect(program.server.requests.at(-1)?.tools).not.toContain("web_search");
});
