/** GitHub as a forge, over REST; GraphQL only for what REST does not have: resolved threads and the merge queue. */
import { isEkidenError } from "../../core/errors.ts";
import type { Sending } from "../../core/forge/memory.ts";
import {
  type Author,
  type Check,
  type Repo,
  type Request,
  repoName,
  type Words,
} from "../../core/forge/model.ts";
import { logEnd } from "../../core/forge/settle.ts";
import type { Instant } from "../../core/ids.ts";
import type { Forge, Sent } from "../../ports/forge.ts";
import { type GithubHttp, unexpected, wordsOf } from "./github-http.ts";

type Json = Record<string, unknown>;
const of = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);
const time = (value: unknown): number => Date.parse(text(value)) || 0;
const rows = (value: unknown): Json[] => (Array.isArray(value) ? value.map(of) : []);

function authorOf(value: unknown): Author {
  const { id, login, type } = of(value);
  if (number(id) === null || text(login) === "") return null;
  return { id: id as number, login: text(login), isBot: type === "Bot" || text(login).endsWith("[bot]") };
}

const wordsIn = (row: Json): Words => ({
  ...{ id: number(row.id) ?? 0, by: authorOf(row.user), text: text(row.body) },
  at: time(row.created_at ?? row.submitted_at),
});

const requestOf = (row: Json): Request => ({
  ...{
    number: number(row.number) ?? 0,
    node: text(row.node_id),
    body: text(row.body),
    url: text(row.html_url),
  },
  state: row.state === "closed" ? "closed" : "open",
  mergedAs: row.merged === true || text(row.merged_at) !== "" ? text(row.merge_commit_sha) : null,
  ...{ head: text(of(row.head).sha), updatedAt: text(row.updated_at) },
  ...{
    mergeable: typeof row.mergeable === "boolean" ? row.mergeable : null,
    mergeState: text(row.mergeable_state),
  },
});

const STATES: Readonly<Record<string, string | null>> = {
  success: "success",
  pending: null,
  error: "failure",
  failure: "failure",
};
/** Of the address of a job: its run and itself. */
const JOB = /\/actions\/runs\/(\d{1,15})(?:\/job\/(\d{1,15}))?/;

const THREADS = `query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) {
  reviewThreads(first: 100) { nodes { id isResolved isOutdated path line comments(first: 1) { nodes { databaseId } } } } } } }`;
const ENQUEUE = `mutation($node: ID!, $head: GitObjectID!) { enqueuePullRequest(input: { pullRequestId: $node, expectedHeadOid: $head }) { mergeQueueEntry { id } } }`;

export class Github implements Forge {
  readonly repo: Repo;
  private readonly http: GithubHttp;
  private readonly base: string;
  private own: Promise<number | null> | null = null;
  private hasChecks = true;

  constructor(repo: Repo, http: GithubHttp) {
    this.repo = repo;
    this.http = http;
    this.base = `/repos/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.name)}`;
  }

  /** Whether the token opens the repository. @throws EkidenError `forge_refused` | `forge_away` */
  async reach(): Promise<void> {
    await this.one(this.base);
  }

  account(): Promise<number | null> {
    this.own ??= this.http.get("/user").then(
      ({ status, data }) => (status === 200 ? number(of(data).id) : null),
      (error) => {
        this.own = null;
        if (isEkidenError(error, "forge_refused")) return null;
        throw error;
      },
    );
    return this.own;
  }

  async issues(label: string) {
    const query = `state=open&labels=${encodeURIComponent(label)}&sort=created&direction=asc`;
    const found = await this.http.list(`${this.base}/issues?${query}`);
    return rows(found)
      .filter((row) => row.pull_request === undefined)
      .map((row) => ({ ...wordsIn(row), number: number(row.number) ?? 0, title: text(row.title) }))
      .sort((a, b) => a.number - b.number);
  }

  async comments(of: number): Promise<Words[]> {
    return rows(await this.http.list(`${this.base}/issues/${of}/comments`)).map(wordsIn);
  }

  async open() {
    const found = rows(await this.http.list(`${this.base}/pulls?state=open&sort=updated&direction=desc`));
    return new Map(found.map(requestOf).map(({ number, updatedAt, head }) => [number, { updatedAt, head }]));
  }

  async request(nr: number): Promise<Request> {
    return requestOf(of(await this.one(`${this.base}/pulls/${nr}`)));
  }

  async talk(nr: number) {
    const [reviews, lines, comments] = [
      rows(await this.http.list(`${this.base}/pulls/${nr}/reviews`)),
      rows(await this.http.list(`${this.base}/pulls/${nr}/comments`)),
      await this.comments(nr),
    ];
    return {
      reviews: reviews.map((row) => ({ ...wordsIn(row), state: text(row.state).toUpperCase() })),
      lines: lines.map((row) => ({
        ...{ ...wordsIn(row), path: text(row.path), line: number(row.line) ?? number(row.original_line) },
        ...{ replyTo: number(row.in_reply_to_id), review: number(row.pull_request_review_id) },
      })),
      comments,
      resolved: lines.length === 0 ? [] : await this.resolved(nr),
    };
  }

  /** Without GraphQL no thread counts as resolved: it is answered once all the same. */
  private async resolved(nr: number): Promise<number[]> {
    const { owner, name } = this.repo;
    const data = await this.http.graphql(THREADS, { owner, name, number: nr }).catch((error: unknown) => {
      if (isEkidenError(error, "tool_failed") || isEkidenError(error, "forge_refused")) return {};
      throw error;
    });
    const threads = of(of(of(of(data).repository).pullRequest).reviewThreads).nodes;
    return rows(threads).flatMap((thread) =>
      thread.isResolved === true ? (number(rows(of(thread.comments).nodes)[0]?.databaseId) ?? []) : [],
    );
  }

  async checks(head: string): Promise<Check[]> {
    const runs = await this.jobs(head);
    // They have not come to an end, whatever the statuses say.
    if (runs.some(({ conclusion }) => conclusion === null)) return runs;
    const status = of(await this.one(`${this.base}/commits/${head}/status`));
    const statuses = rows(status.statuses).map((row): Check => {
      const state = text(row.state);
      return {
        name: text(row.context),
        conclusion: state in STATES ? (STATES[state] ?? null) : "failure",
        run: null,
        job: null,
      };
    });
    return [...runs, ...statuses];
  }

  private async jobs(head: string): Promise<Check[]> {
    if (this.hasChecks)
      try {
        const { check_runs } = of(await this.one(`${this.base}/commits/${head}/check-runs?per_page=100`));
        return rows(check_runs).map((row) => {
          const [, run, job] = JOB.exec(text(row.details_url) || text(row.html_url)) ?? [];
          return checkOf(
            row,
            run === undefined ? null : Number(run),
            job === undefined ? number(row.id) : Number(job),
          );
        });
      } catch (error) {
        // A fine-grained token may not read check runs, but the runs of Actions.
        if (!isEkidenError(error, "forge_refused")) throw error;
        this.hasChecks = false;
      }
    const { workflow_runs } = of(await this.one(`${this.base}/actions/runs?head_sha=${head}&per_page=100`));
    const all: Check[] = [];
    for (const run of rows(workflow_runs)) {
      const id = number(run.id);
      const { jobs } = of(await this.one(`${this.base}/actions/runs/${id}/jobs?filter=latest&per_page=100`));
      const found = rows(jobs).map((row) => checkOf(row, id, number(row.id)));
      all.push(...(found.length > 0 ? found : [checkOf(run, id, null)]));
    }
    return all;
  }

  async log(job: number): Promise<string> {
    return logEnd(await this.http.text(`${this.base}/actions/jobs/${job}/logs`));
  }

  async files(nr: number): Promise<string[]> {
    return rows(await this.http.list(`${this.base}/pulls/${nr}/files`)).map((row) => text(row.filename));
  }

  async mayWrite(login: string, id: number): Promise<boolean> {
    const { status, data } = await this.http
      .get(`${this.base}/collaborators/${encodeURIComponent(login)}/permission`)
      .catch((error: unknown) => {
        if (isEkidenError(error, "forge_refused")) return { status: 403, data: null };
        throw error;
      });
    if (status !== 200) return false;
    const { permission, user } = of(data);
    return number(of(user).id) === id && ["admin", "maintain", "write"].includes(text(permission));
  }

  /** The newest request with this head, in any state, whose text has the mark or that is open; null for none. */
  private async requestFor(branch: string, mark: string): Promise<Request | null> {
    const head = encodeURIComponent(`${this.repo.owner}:${branch}`);
    const found = rows(await this.http.list(`${this.base}/pulls?head=${head}&state=all`)).map(requestOf);
    found.sort((a, b) => b.number - a.number);
    return found.find(({ body, state }) => body.includes(mark) || state === "open") ?? null;
  }

  async wasSent({ kind, target }: Sending, mark: string): Promise<Sent | null> {
    const done = (id: number | null, url = ""): Sent => ({ kind: "done", id, url });
    const nr = Number(target.number);
    if (kind === "open") {
      const found = await this.requestFor(String(target.branch), mark);
      return found && done(found.number, found.url);
    }
    if (kind === "reply" || kind === "comment") {
      const where = kind === "reply" ? "pulls" : "issues";
      const [own, found] = [
        await this.account(),
        rows(await this.http.list(`${this.base}/${where}/${nr}/comments`)).map(wordsIn),
      ];
      const mine = found.find(
        // Anywhere in it: somebody may have edited the text since.
        ({ text: said, by }) => said.includes(mark) && (own === null || by?.id === own),
      );
      return mine ? done(mine.id) : null;
    }
    const now = await this.request(nr);
    if (kind === "rerun") {
      const run = of(await this.one(`${this.base}/actions/runs/${target.run}`));
      return (number(run.run_attempt) ?? 1) > Number(target.attempt ?? 1) || run.status !== "completed"
        ? done(null)
        : null;
    }
    return now.mergedAs !== null || now.head !== target.head ? done(null) : null;
  }

  async send(what: Sending, mark: string, until: Instant): Promise<Sent> {
    this.http.writesUntil = until;
    const { kind, target, body } = what;
    const pull = `${this.base}/pulls/${target.number}`;
    const marked = { body: `${body}\n\n${mark}` };
    const { http } = this;
    if (kind === "queue") {
      const { node, head } = target;
      const asked = http.graphql(ENQUEUE, { node, head }, true);
      return await asked.then((): Sent => ({ kind: "done", id: null, url: "" })).catch(asRefused);
    }
    const ask = {
      open: () =>
        http.write("POST", `${this.base}/pulls`, {
          title: target.title,
          head: target.branch,
          base: target.base,
          ...marked,
        }),
      reply: () => http.write("POST", `${pull}/comments/${target.root}/replies`, marked),
      comment: () => http.write("POST", `${this.base}/issues/${target.number}/comments`, marked),
      rerun: () => http.write("POST", `${this.base}/actions/runs/${target.run}/rerun-failed-jobs`, {}),
      merge: () => http.write("PUT", `${pull}/merge`, { sha: target.head }),
      update: () => http.write("PUT", `${pull}/update-branch`, { expected_head_sha: target.head }),
    };
    const { status, data } = await ask[kind]();
    const { id, number: nr, html_url } = of(data);
    if (status < 300)
      return { kind: "done", id: kind === "open" ? number(nr) : number(id), url: text(html_url) };
    // A request for this branch is there already: of an earlier process, or of a person.
    const there =
      kind === "open" && status === 422 ? await this.requestFor(String(target.branch), mark) : null;
    if (there) return { kind: "done", id: there.number, url: there.url };
    return { kind: "refused", why: `${kind} ${repoName(this.repo)}: ${status} ${wordsOf(data)}`.trim() };
  }

  private async one(path: string): Promise<unknown> {
    const { status, data } = await this.http.get(path);
    if (status !== 200) throw unexpected(path, status, data);
    return data;
  }
}

const checkOf = (row: Json, run: number | null, job: number | null): Check => ({
  ...{ name: text(row.name), run, job },
  conclusion: row.status === "completed" ? text(row.conclusion) || "failure" : null,
});

function asRefused(error: unknown): Sent {
  if (isEkidenError(error, "tool_failed")) return { kind: "refused", why: error.message };
  throw error;
}
