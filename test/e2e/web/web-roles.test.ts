/** Every answer and every action of the page's protocol, asked for by hand with every kind of token: a forbidden act changes nothing. */
import { describe, expect, it } from "vitest";
import { name, PERSON } from "../../../src/core/ids.ts";
import { Links } from "../../../src/faces/web/links.ts";
import type { Act } from "../../../src/faces/web/wire.ts";
import { type PageServer, pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

/** One of each: the compiler asks for the next one. */
const ACTS: { readonly [K in Act["do"]]: Act & { readonly do: K } } = {
  add: { do: "add", task: { ...taskFields(), subject: "Of a stranger" } },
  edit: { do: "edit", id: 1, task: { subject: "Changed" } },
  retry: { do: "retry", id: 1 },
  release: { do: "release", id: 1 },
  cancel: { do: "cancel", id: 1, reason: "" },
  send: { do: "send", to: "lead", text: "hello", urgent: true },
  stop: { do: "stop", who: "all", now: true, reason: "" },
  answer: { do: "answer", request: "r1", answer: "yes", text: "" },
  start: { do: "start", what: "goal", text: "touch x", options: { model: "runbook" } },
  assign: { do: "assign", id: 1, who: "" },
  complete: { do: "complete", id: 1, text: "done" },
  fail: { do: "fail", id: 1, text: "no" },
  take: { do: "take", id: 1 },
  land: { do: "land", id: 1, decision: "drop", place: 1 },
  cron: { do: "cron", expression: "0 9 * * *", text: "look", to: "", task: true },
  uncron: { do: "uncron", id: 1 },
  withdraw: { do: "withdraw", id: 1 },
  steer: { do: "steer", what: "mode", who: "", value: "yolo" },
  review: { do: "review", comments: [{ path: "a", line: 1, excerpt: "", text: "no" }] },
};
function taskFields() {
  return {
    ...{ subject: "", description: "", blockedBy: [], priority: 0, estimate: 1 },
    ...{ role: "", touches: [], needsPlan: false },
  };
}

const READ = [
  ..."state members task/1 timeline journal conversation/lead mail questions doing?who=lead costs".split(" "),
  ..."outcome start steering commit/abcdef1 image/0 recording stream?once=1".split(" "),
];
const OWN = ["links", "keys"];

async function opened(options: { readonly readOnly?: boolean } = {}) {
  const { store, folder } = await programTeam({ says: {} });
  await store.board.add({ subject: "Paint" }, PERSON);
  const other = await store.forTeam(name("other"));
  await other.board.add({ subject: "Hidden" }, PERSON);
  const links = new Links(folder);
  const server = await pageServer(store, folder, { links, ...options });
  const link = (role: string, team: string = store.team): string =>
    links.add({ name: "Ann", role, team, hours: 1 });
  return { store, links, server, link };
}

const ask = ({ origin }: PageServer, token: string, path: string, body?: object): Promise<Response> =>
  fetch(`${origin}/api/${path}`, {
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

describe("a token", () => {
  it("that is wrong, ended or another team's opens no answer and does nothing", async () => {
    const { store, links, server, link } = await opened();
    const ended = link("operator");
    const [known] = links.list(store.team);
    links.end(known?.id ?? "", store.team);
    const before = await store.journal.end();
    for (const [token, expected] of [
      ["wrong-token-of-nobody", 401],
      [ended, 401],
      [link("operator", "other"), 403],
    ] as const) {
      for (const path of [...READ, ...OWN])
        expect([path, await statusOf(ask(server, token, `default/${path}`))]).toEqual([path, expected]);
      for (const act of Object.values(ACTS))
        expect([act.do, await statusOf(ask(server, token, "default/act", act))]).toEqual([act.do, expected]);
    }
    expect(await store.journal.end()).toBe(before);
  });

  it.each([
    ["a viewer", "viewer", false],
    ["an answerer", "answerer", false],
    ["an operator of a page for looking only", "operator", true],
  ])("of %s reads everything and changes nothing", async (_, role, readOnly) => {
    const { store, server, link } = await opened({ readOnly });
    const token = link(role);
    const before = await store.journal.end();
    for (const path of READ) {
      const status = await statusOf(ask(server, token, `default/${path}`));
      expect([path, [200, 400, 404].includes(status)]).toEqual([path, true]);
    }
    for (const act of Object.values(ACTS)) {
      if (role === "answerer" && act.do === "answer") continue;
      expect([act.do, await statusOf(ask(server, token, "default/act", act))]).toEqual([act.do, 403]);
      // Spelled in another way, it is the same or nothing at all.
      const spelled = { ...act, do: ` ${act.do.toUpperCase()}` };
      expect(await statusOf(ask(server, token, "default/act", spelled))).toBe(400);
      expect(await statusOf(ask(server, token, "default%2f..%2fother/act", act))).not.toBe(200);
      expect(await statusOf(ask(server, token, "other/act", act))).toBe(403);
    }
    expect(await store.journal.end()).toBe(before);
  });

  it("of no one but the owner makes links, keeps keys or trusts the project", async () => {
    const { store, server, link } = await opened();
    const before = await store.journal.end();
    const trusting: Act = { do: "start", what: "goal", text: "x", options: { trust: true } };
    for (const role of ["viewer", "answerer", "operator"]) {
      const token = link(role);
      for (const path of OWN) {
        expect(await statusOf(ask(server, token, `default/${path}`))).toBe(403);
        expect(
          await statusOf(ask(server, token, `default/${path}`, { provider: "anthropic", key: "k" })),
        ).toBe(403);
      }
      expect(await statusOf(ask(server, token, "default/act", trusting))).toBe(403);
    }
    expect(await store.journal.end()).toBe(before);
    expect(await statusOf(ask(server, TOKEN, "default/links"))).toBe(200);
  });
});
