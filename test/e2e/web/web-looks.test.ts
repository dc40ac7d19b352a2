/** Every answer and every action of the page's protocol, asked for by hand with every kind of token: who looks changes nothing. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { describe, expect, it } from "vitest";
import { name, PERSON } from "../../../src/core/ids.ts";
import { Links } from "../../../src/faces/web/links.ts";
import { fileOf } from "../../../src/faces/web/own-page.ts";
import type { Act } from "../../../src/faces/web/wire.ts";
import { type PageServer, pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

/** One of each: the compiler asks for the next one. */
const ACTS: { readonly [K in Act["do"]]: Act & { readonly do: K } } = {
  add: { do: "add", task: { ...taskFields(), subject: "Of a stranger" } },
  edit: { do: "edit", id: 1, task: { subject: "Changed" } },
  undo: { do: "undo", id: 1, conversation: false },
  redo: { do: "redo" },
  fork: { do: "fork", at: "1", name: "" },
  move: { do: "move", id: 1, by: 1 },
  replan: { do: "replan", id: 1, texts: { subject: "Changed" } },
  unplan: { do: "unplan", id: 1 },
  unedit: { do: "unedit" },
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
  note: { do: "note", text: "Money is in cents", kind: "decision" },
  renote: { do: "renote", id: 1, text: "" },
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
  ..."state members task/1 timeline journal conversation/lead mail notes questions doing?who=lead costs".split(
    " ",
  ),
  ..."run outcome start steering commit/abcdef1 image/0 recording stream?once=1".split(" "),
];
const OWN = ["link"];
const WRITE = ["act", ...OWN];

async function opened(options: { readonly readOnly?: boolean } = {}) {
  const { store, folder } = await programTeam({ says: {} });
  await store.board.add({ subject: "Paint" }, PERSON);
  const other = await store.forTeam(name("other"));
  await other.board.add({ subject: "Hidden" }, PERSON);
  const links = new Links(folder);
  const server = await pageServer(store, folder, { links, ...options });
  return { store, folder, links, server };
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
    const { store, links, server } = await opened();
    const replaced = links.make(store.team, 1);
    const ended = links.make(store.team, 1);
    links.end(store.team);
    const before = await store.journal.end();
    for (const [token, expected] of [
      ["wrong-token-of-nobody", 401],
      [replaced, 401],
      [ended, 401],
      [links.make("other", 1), 403],
    ] as const) {
      for (const path of [...READ, ...OWN])
        expect([path, await statusOf(ask(server, token, `default/${path}`))]).toEqual([path, expected]);
      for (const act of Object.values(ACTS))
        expect([act.do, await statusOf(ask(server, token, "default/act", act))]).toEqual([act.do, expected]);
    }
    expect(await store.journal.end()).toBe(before);
  });

  it.each([
    ["a link", false, "Your link is read-only"],
    ["a link of a read-only page", true, "Your link is read-only"],
    ["a read-only page", true, "started with --read-only"],
  ])("of %s reads everything, and every request that writes is refused", async (of, readOnly, why) => {
    const { store, links, server } = await opened({ readOnly });
    const token = of === "a read-only page" ? TOKEN : links.make(store.team, 1);
    const before = await store.journal.end();
    const kept = links.of(store.team);
    for (const path of READ) {
      const status = await statusOf(ask(server, token, `default/${path}`));
      expect([path, [200, 400, 404].includes(status)]).toEqual([path, true]);
    }
    for (const path of OWN)
      expect([path, await statusOf(ask(server, token, `default/${path}`))]).toEqual([path, 403]);
    for (const act of Object.values(ACTS)) {
      const refused = await ask(server, token, "default/act", act);
      expect([act.do, refused.status, await refused.text()]).toEqual([
        act.do,
        403,
        expect.stringContaining(why),
      ]);
      // Spelled in another way, it is the same or nothing at all.
      const spelled = { ...act, do: ` ${act.do.toUpperCase()}` };
      expect(await statusOf(ask(server, token, "default/act", spelled))).toBe(403);
    }
    // Also at an address where nothing is written today.
    for (const path of [...READ, ...WRITE, "nothing", "%61ct"])
      for (const team of ["default", "other", "default%2f..%2fother"])
        for (const body of [{ hours: 1 }, { end: true }])
          expect([path, await statusOf(ask(server, token, `${team}/${path}`, body))]).toEqual([path, 403]);
    expect(await store.journal.end()).toBe(before);
    expect(links.of(store.team)).toEqual(kept);
  });
});

describe("a link", () => {
  it("shows its team alone", async () => {
    const { store, links, server } = await opened();
    const token = links.make(store.team, 1);
    expect((await ask(server, token, `${store.team}/state`)).status).toBe(200);
    for (const path of ["other/state", "other/stream", "other/recording", `${store.team}/compare/other`])
      expect([path, (await ask(server, token, path)).status]).toEqual([path, 403]);
    expect(await (await ask(server, token, "teams")).json()).toMatchObject({
      ...{ first: store.team, readOnly: true, mayStart: false },
    });
    for (const path of ["teams", "all-teams", `${store.team}/recording`])
      expect(await (await ask(server, token, path)).text()).not.toContain('"other"');
  });

  it("is made, replaced and ended by the owner, and no file holds its token", async () => {
    const { store, folder, links, server } = await opened();
    const change = async (body: object) => (await ask(server, TOKEN, "default/link", body)).json();
    const known = async () => (await ask(server, TOKEN, "default/link")).json();
    const reads = (token: string) => statusOf(ask(server, token, "teams"));
    expect(await known()).toBeNull();
    const { text: first } = (await change({ hours: 1 })) as { text: string };
    expect(await reads(first)).toBe(200);
    const { text: second } = (await change({ hours: 24 })) as { text: string };
    expect([await reads(first), await reads(second)]).toEqual([401, 200]);
    const other = links.make("other", 1);
    expect(JSON.stringify([await known(), new Links(folder)])).not.toContain(second);
    expect(await change({ end: true })).toMatchObject({ ok: true });
    expect([await known(), await reads(second), await reads(other)]).toEqual([null, 401, 200]);
    expect(await reads(links.make(store.team, 1e-9))).toBe(401);
    for (const hours of [0, -1, 1e9])
      expect(await change({ hours })).toMatchObject({ ok: false, text: expect.stringContaining("a year") });
  });

  it("of an older version, which had a role, opens nothing", async () => {
    const { store, folder, links, server } = await opened();
    const token = links.make(store.team, 1);
    const { dir, base } = parse(fileOf({ cwd: folder, readOnly: false }));
    const file = join(dir, base.replace(".json", "-links.json"));
    const [kept] = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify([{ ...kept, id: "1", name: "Ann", role: "operator" }]));
    expect(await statusOf(ask(server, token, "teams"))).toBe(401);
  });
});
