/** Deliveries of webhooks, at a real server: who has not signed is not heard, and what is heard makes the team look. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { takeDeliveries } from "../../../src/host/forge/webhook.ts";
import { emulator, teamAt, writes } from "../../fixtures/forge-team.ts";
import { freePort } from "../../fixtures/ports.ts";
import { soon } from "../../fixtures/soon.ts";

const SECRET = "It's a Secret to Everybody";
const signed = (body: string | Buffer, secret = SECRET): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

async function taking() {
  const heard: [string, string][] = [];
  const deliveries = await takeDeliveries("0", SECRET, "acme/widgets", async (id, about) => {
    heard.push([id, about]);
  });
  onTestFinished(() => deliveries.close());
  const send = async (
    body: string,
    headers: Record<string, string> = {},
    method = "POST",
  ): Promise<number> => {
    const all = {
      ...{ "content-type": "application/json", "x-github-event": "issue_comment" },
      ...{ "x-github-delivery": "d1", "x-hub-signature-256": signed(body) },
      ...headers,
    };
    const answer = await fetch(deliveries.url, { method, headers: all, ...(method === "POST" && { body }) });
    return answer.status;
  };
  return { heard, send, url: new URL(deliveries.url) };
}

const BODY = JSON.stringify({
  action: "created",
  issue: { number: 7 },
  comment: { body: "Schön – ✓" },
  repository: { full_name: "Acme/Widgets" },
});

it("has the signature of the public reference", () =>
  expect(signed("Hello, World!")).toBe(
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  ));

it.each([
  ["none", ""],
  ["of another secret", signed(BODY, "guess")],
  ["of other bytes", signed(`${BODY} `)],
  ["too short", signed(BODY).slice(0, -2)],
  ["too long", `${signed(BODY)}00`],
  ["no hex", `sha256=${"z".repeat(64)}`],
  ["of another kind", signed(BODY).replace("sha256", "sha1")],
  ["empty", "sha256="],
])("hears nobody whose signature is %s", async (_, signature) => {
  const { heard, send } = await taking();
  expect(await send(BODY, { "x-hub-signature-256": signature })).toBe(401);
  expect(await send(BODY)).toBe(204);
  await soon(() => expect(heard).toEqual([["d1", "7"]]));
});

it("answers what it cannot use, and bounds what it reads", async () => {
  const { heard, send, url } = await taking();
  expect(await send("", {}, "GET")).toBe(405);
  expect(await send(BODY, { "x-github-delivery": "" })).toBe(400);
  expect(await send(BODY, { "x-github-delivery": "d 1" })).toBe(400);
  const us = '"repository":{"full_name":"acme/widgets"}';
  for (const nonsense of ["null", "{", `{${us},"number":{}}`, `{${us},"issue":{"number":"7; drop"}}`])
    expect(await send(nonsense)).toBe(204);
  expect(await send(BODY.replace("Acme", "other"))).toBe(204);
  const own = BODY.replace("Schön", "Done <!-- ekiden:default/1/open -->");
  expect(await send(own, { "x-github-delivery": "d0" })).toBe(204);
  expect(await send(BODY, { "content-type": "application/x-www-form-urlencoded" })).toBe(415);
  expect(await send(BODY)).toBe(204);
  // Refused by its head: no byte of the body is waited for.
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  const head = `x-github-delivery: d9\r\nx-hub-signature-256: ${signed("")}\r\ncontent-length: 30000000`;
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
  const [first] = await once(socket, "data");
  expect(String(first)).toMatch(/^HTTP\/1\.1 413 /);
  const endless = connect(Number(url.port), url.hostname);
  onTestFinished(() => void endless.destroy());
  endless.write(
    `POST / HTTP/1.1\r\nhost: x\r\n${head.replace(/content.*/, "transfer-encoding: chunked")}\r\n\r\n`,
  );
  expect(String((await once(endless, "data"))[0])).toMatch(/^HTTP\/1\.1 413 /);
  const repository = { full_name: "acme/widgets" };
  const check = { repository, check_run: { head_sha: "a".repeat(40), pull_requests: [{ number: 9 }] } };
  await send(JSON.stringify(check), { "x-github-delivery": "d2", "x-github-event": "check_run" });
  const label = { repository, action: "labeled", issue: { number: 3 } };
  await send(JSON.stringify(label), { "x-github-delivery": "d3", "x-github-event": "issues" });
  const all = [
    ["d1", "7"],
    ["d2", `${"a".repeat(40)} 9`],
    ["d3", "issues 3"],
  ];
  await soon(() => expect(heard).toEqual(all));
});

it("hears a forge that brings the secret itself, and its events", async () => {
  const { heard, send } = await taking();
  const gitlab = (token: string, event: string, id: string) => ({
    ...{ "x-hub-signature-256": "", "x-github-delivery": "", "x-github-event": "" },
    ...{ "x-gitlab-token": token, "x-gitlab-event": event, "idempotency-key": id },
  });
  const project = { path_with_namespace: "acme/widgets" };
  const of = (more: object): string => JSON.stringify({ project, ...more });
  for (const wrong of ["", "guess", SECRET.slice(1), `${SECRET} more`])
    expect(await send(of({}), gitlab(wrong, "Note Hook", "g1"))).toBe(401);
  const pipeline = { object_attributes: { id: 70, sha: "b".repeat(40) }, merge_request: { iid: 4 } };
  expect(await send(of({ object_attributes: { iid: 3 } }), gitlab(SECRET, "Issue Hook", "g1"))).toBe(204);
  expect(await send(of(pipeline), gitlab(SECRET, "Pipeline Hook", "g2"))).toBe(204);
  const all = [
    ["g1", "issues 3"],
    ["g2", `${"b".repeat(40)} 4`],
  ];
  await soon(() => expect(heard).toEqual(all));
});

it("looks at once, whatever of its deliveries is doubled or late", async () => {
  const port = await freePort();
  const fates = ["twice", "later", "once"] as const;
  const hook = {
    ...{ url: `http://127.0.0.1:${port}/hooks`, secret: SECRET },
    fate: (nth: number) => fates[nth % fates.length] ?? "once",
  };
  const forge = await emulator({ hook });
  const team = await teamAt(forge, [{ calls: writes("echo hello > page.md"), times: "any" }], {
    settings: { forgePollMs: 600_000, forgeWebhook: `${port}` },
    env: { EKIDEN_WEBHOOK_SECRET: SECRET },
  });
  await team.host.start({ interactive: true });
  await soon(async () => expect(forge.record.calls.length).toBeGreaterThan(1));
  for (const title of ["One", "Two"]) forge.openIssue("ann", { title, labels: ["ekiden"] });
  await soon(async () => expect(await team.store.forge.all()).toHaveLength(2));
  expect((await forge.deliveries()).every(({ status }) => status === 204)).toBe(true);
});
