/** Several people answer one question on the page at the same time. */
import { expect, it } from "vitest";
import type { Question } from "../../../src/faces/web/wire.ts";
import { pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const headers = { Authorization: `Bearer ${TOKEN}` };

it("takes the first answer to a question, and tells the others that there is one", async () => {
  const team = await programTeam({
    settings: { permissionsTo: "person" },
    says: {
      lead: [{ calls: [{ tool: "bash", input: { command: "touch made" } }] }, { times: "any", text: "fine" }],
    },
  });
  const { origin } = await pageServer(team.store, team.folder);
  await team.host.start({ goal: "Go" });
  await team.until("permission.asked");
  const asked = await fetch(`${origin}/api/default/questions`, { headers });
  const [question] = (await asked.json()) as Question[];
  const say = async (answer: string) => {
    const body = JSON.stringify({ do: "answer", request: question?.id, answer, text: "" });
    const sent = { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body };
    const got = await fetch(`${origin}/api/default/act`, sent);
    return { status: got.status, text: await got.text() };
  };
  const all = await Promise.all(["allow", "deny", "allow", "deny"].map(say));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  for (const { text } of all.filter(({ status }) => status === 409)) expect(text).toContain("answered");
  expect(await team.events("permission.answered")).toHaveLength(1);
});
