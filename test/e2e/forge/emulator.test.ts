/** The emulator of the forge, asked as the public reference describes it. The tests of the feature stand on it. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type Emulator, githubEmulator, type Options } from "../../fixtures/forge/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: what the forge says is compared, not used
type Json = any;
type Answer = { readonly status: number; readonly headers: Headers; readonly body: Json };

async function started(options: Options = {}): Promise<Emulator> {
  const forge = await githubEmulator(options);
  onTestFinished(() => forge.close());
  forge.token("secret", "robot");
  forge.person("ann", { permission: "admin" });
  return forge;
}

const asker =
  (forge: Emulator, token = "secret") =>
  async (line: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const [method = "", path = ""] = line.split(" ");
    const url =
      path.startsWith("/user") || path === "/graphql" || path === "/rate_limit"
        ? path
        : `/repos/acme/widgets${path}`;
    const response = await fetch(`${forge.url}${url}`, {
      method,
      redirect: "manual",
      headers: { authorization: `Bearer ${token}`, "user-agent": "test", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  };

it("lists issues by label in pages, with requests among them, and a copy that is current costs nothing", async () => {
  const forge = await started();
  const ask = asker(forge);
  for (const title of ["One", "Two", "Three"]) forge.openIssue("ann", { title, labels: ["ekiden"] });
  forge.openIssue("ann", { title: "Other" });
  const first = await ask("GET /issues?labels=ekiden&per_page=2");
  expect(first.body.map((one: { title: string }) => one.title)).toEqual(["Three", "Two"]);
  expect(first.headers.get("link")).toMatch(/<http:[^>]+[?&]page=2[^>]*>; rel="next", <[^>]+>; rel="last"/);
  const left = first.headers.get("x-ratelimit-remaining");
  const again = await ask("GET /issues?labels=ekiden&per_page=2", undefined, {
    "if-none-match": first.headers.get("etag") ?? "",
  });
  expect([again.status, again.body, again.headers.get("x-ratelimit-remaining")]).toEqual([304, null, left]);
  forge.edit("ann", 3, { title: "Third" });
  expect(
    (
      await ask("GET /issues?labels=ekiden&per_page=2", undefined, {
        "if-none-match": first.headers.get("etag") ?? "",
      })
    ).status,
  ).toBe(200);
  forge.git.commit("ekiden/1", { a: "a" }, "Add a");
  await ask("POST /pulls", { title: "Add a", head: "ekiden/1", base: "main" });
  const open = await ask("GET /issues");
  expect(open.body.filter((one: object) => "pull_request" in one)).toHaveLength(1);
});

it("has one open request of a head, merges the head that was meant, closes its issue, and says why not", async () => {
  const forge = await started({
    required: ["test"],
    checks: ({ nth }) => [{ name: "test", results: [nth === 1 ? "failure" : "success"], log: "1 failed" }],
  });
  const ask = asker(forge);
  const issue = forge.openIssue("ann", { title: "Add a" });
  expect((await ask("POST /pulls", { title: "Add a", head: "nothing", base: "main" })).body.errors).toEqual([
    { resource: "PullRequest", field: "head", code: "invalid" },
  ]);
  const red = forge.git.commit("ekiden/1", { a: "a" }, "Add a");
  const made = await ask("POST /pulls", {
    title: "Add a",
    head: "ekiden/1",
    base: "main",
    body: `Closes #${issue.number}`,
  });
  expect([made.status, made.body.number, made.body.mergeable, made.body.head.sha]).toEqual([
    201,
    2,
    null,
    red,
  ]);
  const second = await ask("POST /pulls", { title: "Again", head: "acme:ekiden/1", base: "main" });
  expect([second.status, second.body.errors[0].message]).toEqual([
    422,
    "A pull request already exists for acme:ekiden/1.",
  ]);
  expect((await ask("GET /pulls?head=acme:ekiden/1&state=all")).body).toHaveLength(1);
  expect((await ask("GET /pulls/2")).body).toMatchObject({ mergeable: true, mergeable_state: "blocked" });
  const { body: runs } = await ask(`GET /actions/runs?head_sha=${red}`);
  expect(runs).toMatchObject({
    total_count: 1,
    workflow_runs: [{ status: "completed", conclusion: "failure" }],
  });
  const { body: jobs } = await ask(`GET /actions/runs/${runs.workflow_runs[0].id}/jobs`);
  const log = await ask(`GET /actions/jobs/${jobs.jobs[0].id}/logs`);
  expect(log.status).toBe(302);
  expect(await (await fetch(log.headers.get("location") ?? "")).text()).toContain("1 failed");
  expect((await ask("PUT /pulls/2/merge", { sha: red })).status).toBe(405);
  const green = forge.git.commit("ekiden/1", { a: "b" }, "Mend a");
  expect((await ask("PUT /pulls/2/merge", { sha: red })).status).toBe(409);
  expect((await ask("PUT /pulls/2/merge", { sha: green })).body.merged).toBe(true);
  expect(forge.git.read("main", "a")).toBe("b");
  expect((await ask("GET /issues/1")).body).toMatchObject({ state: "closed", state_reason: "completed" });
  expect(forge.git.pushes("ekiden/1")).toEqual([green, red]);
});

it("does what it never answers, refuses while it is away, and says how long to wait", async () => {
  const forge = await started();
  const ask = asker(forge);
  forge.openIssue("ann", { title: "Add a" });
  forge.dropNext("POST", /\/comments$/);
  await expect(ask("POST /issues/1/comments", { body: "Once" })).rejects.toThrow();
  expect((await ask("GET /issues/1/comments")).body).toHaveLength(1);
  forge.failNext("POST", /\/comments$/, "cut");
  await expect(ask("POST /issues/1/comments", { body: "Never" })).rejects.toThrow();
  await forge.away();
  await expect(ask("GET /issues/1")).rejects.toThrow();
  await forge.back();
  await forge.away("502");
  expect((await fetch(`${forge.url}/user`)).status).toBe(502);
  await forge.back();
  forge.secondary(30_000);
  const early = await ask("GET /issues/1");
  expect((await ask("GET /issues/1")).status).toBe(403);
  expect([early.status, Number(early.headers.get("retry-after")) > 25]).toEqual([403, true]);
  forge.secondary(0);
  forge.left(1);
  expect((await ask("GET /issues/1")).status).toBe(200);
  const over = await ask("GET /issues/1");
  expect([over.status, over.headers.get("x-ratelimit-remaining"), over.headers.get("retry-after")]).toEqual([
    403,
    "0",
    null,
  ]);
  expect(forge.record.early()).toHaveLength(1);
  expect(forge.record.conversation(1).map(({ body }) => body)).toEqual(["Once"]);
});

it("knows people by number: a deleted account is a ghost, and another one with its name is nobody", async () => {
  const forge = await started();
  const ask = asker(forge);
  const bob = forge.person("bob", { permission: "maintain" });
  forge.openIssue("bob", { title: "Add a" });
  expect((await ask("GET /collaborators/bob/permission")).body).toMatchObject({
    permission: "write",
    role_name: "maintain",
  });
  forge.deletePerson("bob");
  expect((await ask("GET /issues/1")).body.user.login).toBe("ghost");
  const other = forge.person("bob");
  const may = (await ask("GET /collaborators/bob/permission")).body;
  expect([may.permission, may.user.id === bob.id, may.user.id === other.id]).toEqual(["read", false, true]);
  expect((await ask("GET /collaborators/nobody/permission")).status).toBe(404);
  forge.token("narrow", "robot", { deny: ["checks:read"] });
  const denied = await asker(forge, "narrow")("GET /commits/main/check-runs");
  expect([denied.status, denied.headers.get("x-accepted-github-permissions")]).toEqual([403, "checks=read"]);
  expect((await asker(forge, "wrong")("GET /user")).status).toBe(401);
});

const THREADS = `query($n: Int!) { repository(owner: "acme", name: "widgets") { pullRequest(number: $n) { id mergeStateStatus headRefOid
  reviewThreads(first: 50) { nodes { id isResolved isOutdated path line comments(first: 50) { nodes { databaseId body createdAt lastEditedAt
  state author { __typename login ... on User { databaseId } } editor { login } } } } } } } }`;

it("shows threads with their states and edits, takes one answer a thread, and resolves", async () => {
  const forge = await started();
  const ask = asker(forge);
  forge.bot("helper[bot]");
  forge.git.commit("ekiden/1", { a: "a\n" }, "Add a");
  await ask("POST /pulls", { title: "Add a", head: "ekiden/1", base: "main" });
  const { review, threads } = forge.review("ann", 1, {
    state: "PENDING",
    threads: [{ path: "a", line: 1, body: "Why?" }],
  });
  const look = async () =>
    (await ask("POST /graphql", { query: THREADS, variables: { n: 1 } })).body.data.repository.pullRequest;
  expect((await look()).reviewThreads.nodes[0].comments.nodes[0].state).toBe("PENDING");
  expect((await ask("GET /pulls/1/reviews")).body[0].state).toBe("PENDING");
  forge.set({ pending: "author" });
  expect((await ask("GET /pulls/1/reviews")).body).toEqual([]);
  forge.submit(1, review, "CHANGES_REQUESTED");
  forge.editComment("ann", threads[0]!.comments[0]!, "Why a?");
  const [thread] = (await look()).reviewThreads.nodes;
  expect(thread.comments.nodes[0]).toMatchObject({
    body: "Why a?",
    state: "SUBMITTED",
    editor: { login: "ann" },
    author: { __typename: "User", login: "ann" },
  });
  expect(thread.comments.nodes[0].lastEditedAt).not.toBeNull();
  const root = thread.comments.nodes[0].databaseId;
  const said = await ask(`POST /pulls/1/comments/${root}/replies`, { body: "Because" });
  expect([said.status, said.body.in_reply_to_id]).toEqual([201, root]);
  expect((await ask(`POST /pulls/1/comments/${said.body.id}/replies`, { body: "And" })).status).toBe(404);
  expect(forge.record.threads(1)[0]!.map(({ who }) => who)).toEqual(["trusted", "ours", "bot"]);
  const resolve = `mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }`;
  expect(
    (await ask("POST /graphql", { query: resolve, variables: { id: thread.id } })).body.data
      .resolveReviewThread.thread.isResolved,
  ).toBe(true);
  forge.git.commit("ekiden/1", { a: "b\n" }, "Change a");
  expect((await look()).reviewThreads.nodes[0]).toMatchObject({ isOutdated: true, line: null });
  const wrong = await ask("POST /graphql", { query: "{ viewer { databaseID } }" });
  expect([wrong.status, wrong.body.errors[0].message]).toEqual([
    200,
    expect.stringContaining("Cannot query field"),
  ]);
  expect(forge.record.doubled()).toEqual({ requests: [], comments: [] });
  expect(forge.record.voices(1)[1]).toEqual({ ours: 1, trusted: 1, bot: 1, stranger: 0 });
});

it("runs failed jobs again, brings a branch up to date, and merges by the queue", async () => {
  const forge = await started({
    mergeQueue: true,
    strict: true,
    checks: () => [
      { name: "test", results: ["cancelled", "success"] },
      { name: "lint", results: ["success"] },
    ],
  });
  const ask = asker(forge);
  const head = forge.git.commit("ekiden/1", { a: "a" }, "Add a");
  await ask("POST /pulls", { title: "Add a", head: "ekiden/1", base: "main" });
  const run = (await ask(`GET /actions/runs?head_sha=${head}`)).body.workflow_runs[0];
  expect((await ask(`POST /actions/runs/${run.id}/rerun-failed-jobs`)).status).toBe(201);
  expect((await ask(`GET /actions/runs/${run.id}`)).body).toMatchObject({
    run_attempt: 2,
    conclusion: "success",
  });
  expect((await ask(`GET /commits/${head}/check-runs`)).body).toMatchObject({ total_count: 2 });
  expect((await ask(`GET /commits/${head}/status`)).body).toMatchObject({ state: "pending", total_count: 0 });
  forge.git.commit("main", { b: "b" }, "Add b");
  await ask("GET /pulls/1");
  expect((await ask("GET /pulls/1")).body.mergeable_state).toBe("behind");
  expect((await ask("PUT /pulls/1/update-branch", { expected_head_sha: run.id })).status).toBe(422);
  expect((await ask("PUT /pulls/1/update-branch", { expected_head_sha: head })).status).toBe(202);
  const { id, headRefOid } = (await ask("POST /graphql", { query: THREADS, variables: { n: 1 } })).body.data
    .repository.pullRequest;
  const enqueue = `mutation($id: ID!, $oid: GitObjectID) { enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $oid }) { mergeQueueEntry { state } } }`;
  expect(
    (await ask("POST /graphql", { query: enqueue, variables: { id, oid: head } })).body.errors[0].type,
  ).toBe("UNPROCESSABLE");
  expect(
    (await ask("POST /graphql", { query: enqueue, variables: { id, oid: headRefOid } })).body.errors,
  ).toBeUndefined();
  await expect.poll(async () => (await ask("GET /pulls/1")).body.merged).toBe(true);
});

it("delivers webhooks signed, and loses and doubles them where a test says so", async () => {
  const got: { event: unknown; id: unknown; right: boolean }[] = [];
  const receiver = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const right = `sha256=${createHmac("sha256", "key").update(Buffer.concat(parts)).digest("hex")}`;
    got.push({
      event: request.headers["x-github-event"],
      id: request.headers["x-github-delivery"],
      right: request.headers["x-hub-signature-256"] === right,
    });
    response.writeHead(202).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  onTestFinished(() => void receiver.close());
  const fate = (nth: number) => (["once", "lost", "twice"] as const)[nth] ?? "once";
  const forge = await started({
    hook: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`, secret: "key", fate },
  });
  forge.openIssue("ann", { title: "One" });
  forge.openIssue("ann", { title: "Two" });
  forge.comment("ann", 1, "Three");
  expect(await forge.deliveries()).toHaveLength(3);
  expect(got.map(({ event, right }) => [event, right])).toEqual([
    ["issues", true],
    ["issue_comment", true],
    ["issue_comment", true],
  ]);
  expect(got[1]!.id).toBe(got[2]!.id);
});
