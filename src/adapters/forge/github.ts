/** GitHub as a forge, over REST; GraphQL only for what REST does not have: resolved threads, who edited a text, and the merge queue. */
import { isEkidenError } from "../../core/errors.ts";
import type { Sending } from "../../core/forge/memory.ts";
import {
  type Check,
  type Issue,
  type Repo,
  type Request,
  repoName,
  type Talk,
  type Words,
} from "../../core/forge/model.ts";
import { logEnd, PASSES } from "../../core/forge/settle.ts";
import type { Instant } from "../../core/ids.ts";
import type { Forge, Page, Sent } from "../../ports/forge.ts";
import { GithubGraph } from "./github-graphql.ts";
import {
  checkOf,
  checkRunOf,
  type Found,
  issueOf,
  lineOf,
  requestOf,
  reviewOf,
  statusOf,
  wordsIn,
} from "./github-shapes.ts";
import type { Answered, ForgeHttp } from "./http.ts";
import { away, unexpected, wordsOf } from "./http-answers.ts";
import { type Json, number, of, rowsOf, text } from "./json.ts";

type Written = Omit<Answered, "next">;
const MERGES_MAX = 3;
const METHODS = ["merge", "squash", "rebase"] as const;

export class Github implements Forge {
  readonly repo: Repo;
  private readonly http: ForgeHttp;
  private readonly graph: GithubGraph;
  private readonly base: string;
  private own: Promise<number | null> | null = null;
  private hasChecks = true;

  constructor(repo: Repo, http: ForgeHttp) {
    this.repo = repo;
    this.http = http;
    this.graph = new GithubGraph(repo, http);
    this.base = `/repos/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.name)}`;
  }

  /** Whether the token opens the repository. @throws EkidenError `forge_refused` | `forge_away` */
  async reach(): Promise<void> {
    await this.one(this.base);
  }

  restore(pages: readonly Page[]): void {
    this.http.restore(pages);
  }
  fresh(): readonly Page[] {
    return this.http.fresh();
  }

  account(): Promise<number | null> {
    this.own ??= this.http
      .get("/user", (data) => number(of(data).id))
      .then(
        ({ status, data }) => (status === 200 ? (data as number | null) : null),
        (error) => {
          this.own = null;
          if (isEkidenError(error, "forge_refused")) return null;
          throw error;
        },
      );
    return this.own;
  }

  async issues(which: Record<string, string>): Promise<Issue[]> {
    const query = new URLSearchParams({ state: "open", sort: "created", direction: "asc", ...which });
    const isIssue = (row: Json): boolean => row.pull_request === undefined;
    return await this.http.list(
      `${this.base}/issues?${query}`,
      (data) => rowsOf(data)?.filter(isIssue).map(issueOf) ?? null,
    );
  }

  async issue(nr: number): Promise<Issue> {
    return (await this.one(`${this.base}/issues/${nr}`, (data) => issueOf(of(data)))) as Issue;
  }

  comments(nr: number): Promise<Words[]> {
    return this.list(`${this.base}/issues/${nr}/comments`, wordsIn);
  }

  async open() {
    const path = `${this.base}/pulls?state=open&sort=updated&direction=desc`;
    const found = await this.list(path, (row) => {
      const { number, updatedAt, head } = requestOf(row);
      return [number, { updatedAt, head }] as const;
    });
    return new Map(found);
  }

  async request(nr: number): Promise<Request> {
    const path = `${this.base}/pulls/${nr}`;
    const found = (await this.one(path, (data) => requestOf(of(data)))) as Request;
    if (found.number !== nr || found.head === "") throw away(`${path} was answered with something else`);
    return found;
  }

  async talk(nr: number): Promise<Talk> {
    const [reviews, lines, comments] = [
      await this.list(`${this.base}/pulls/${nr}/reviews`, reviewOf),
      await this.list(`${this.base}/pulls/${nr}/comments`, lineOf),
      await this.comments(nr),
    ];
    return { reviews, lines, comments, resolved: [], editors: new Map() };
  }

  details(nr: number, isEdited: boolean): ReturnType<Forge["details"]> {
    return this.graph.details(nr, isEdited);
  }
  isQueued(nr: number): Promise<boolean | null> {
    return this.graph.isQueued(nr);
  }

  async checks(head: string): Promise<Check[]> {
    const runs = await this.jobs(head);
    // They have not come to an end, whatever the statuses say.
    if (runs.some(({ conclusion }) => conclusion === null)) return runs;
    const statuses = await this.http.list(
      `${this.base}/commits/${head}/status`,
      (data) => rowsOf(of(data).statuses)?.map(statusOf) ?? null,
    );
    return [...runs, ...statuses];
  }

  private async jobs(head: string): Promise<Check[]> {
    if (this.hasChecks)
      try {
        const path = `${this.base}/commits/${head}/check-runs`;
        const found = await this.http.list(
          path,
          (data) => rowsOf(of(data).check_runs)?.map(checkRunOf) ?? null,
        );
        const isLost = ({ run, suite, conclusion }: Found): boolean =>
          run === null && suite !== null && conclusion !== null && !PASSES.has(conclusion);
        if (!found.some(isLost)) return found;
        // Where the address of a check does not name its run, the suite that both are of does.
        const bySuite = new Map((await this.runs(head)).map(({ suite, run }) => [suite, run]));
        return found.map((one) => (isLost(one) ? { ...one, run: bySuite.get(one.suite) ?? null } : one));
      } catch (error) {
        // A fine-grained token may not read check runs, but the runs of Actions.
        if (!isEkidenError(error, "forge_refused")) throw error;
        this.hasChecks = false;
      }
    const all: Check[] = [];
    for (const run of await this.runs(head)) {
      const path = `${this.base}/actions/runs/${run.run}/jobs?filter=latest`;
      const jobs = await this.http.list(
        path,
        (data) => rowsOf(of(data).jobs)?.map((row) => checkOf(row, run.run, number(row.id))) ?? null,
      );
      all.push(...(jobs.length > 0 ? jobs : [run]));
    }
    return all;
  }

  private runs(head: string): Promise<Found[]> {
    return this.http.list(
      `${this.base}/actions/runs?head_sha=${head}`,
      (data) =>
        rowsOf(of(data).workflow_runs)?.map((row) => ({
          ...checkOf(row, number(row.id), null),
          suite: number(row.check_suite_id),
        })) ?? null,
    );
  }

  async log(job: number): Promise<string> {
    return logEnd(await this.http.text(`${this.base}/actions/jobs/${job}/logs`));
  }

  files(nr: number): Promise<string[]> {
    return this.list(`${this.base}/pulls/${nr}/files`, (row) => text(row.filename));
  }

  async mayWrite(login: string, id: number): Promise<boolean> {
    const path = `${this.base}/collaborators/${encodeURIComponent(login)}/permission`;
    const pick = (data: unknown) => ({
      id: number(of(of(data).user).id),
      permission: text(of(data).permission),
    });
    const { status, data } = await this.http.get(path, pick).catch((error: unknown) => {
      if (isEkidenError(error, "forge_refused")) return { status: 403, data: null };
      throw error;
    });
    const found = of(data);
    return (
      status === 200 && found.id === id && ["admin", "maintain", "write"].includes(text(found.permission))
    );
  }

  /** The newest request with this head, in any state, whose text has the mark or that is open; null for none. */
  private async requestFor(branch: string, mark: string): Promise<Request | null> {
    const head = encodeURIComponent(`${this.repo.owner}:${branch}`);
    const found = await this.list(`${this.base}/pulls?head=${head}&state=all`, requestOf);
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
      const own = await this.account();
      const shape: (row: Json) => Words = kind === "reply" ? lineOf : wordsIn;
      const found = await this.list(`${this.base}/${where}/${nr}/comments`, shape);
      const mine = found.find(
        // Anywhere in it: somebody may have edited the text since.
        ({ text: said, by }) => said.includes(mark) && (own === null || by?.id === own),
      );
      return mine ? done(mine.id) : null;
    }
    if (kind === "rerun") {
      const run = of(await this.one(`${this.base}/actions/runs/${target.run}`));
      return (number(run.run_attempt) ?? 1) > Number(target.attempt ?? 1) || run.status !== "completed"
        ? done(null)
        : null;
    }
    if (kind === "queue" && (await this.isQueued(nr))) return done(null);
    const now = await this.request(nr);
    return now.mergedAs !== null || now.head !== target.head ? done(null) : null;
  }

  async send(what: Sending, mark: string, until: Instant): Promise<Sent> {
    this.http.writesUntil = until;
    const { kind, target, body } = what;
    const pull = `${this.base}/pulls/${target.number}`;
    const marked = { body: `${body}\n\n${mark}` };
    const { http } = this;
    if (kind === "queue") {
      const why = await this.graph.enqueue(target);
      return why === null ? { kind: "done", id: null, url: "" } : { kind: "refused", why };
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
      merge: () => this.merge(`${pull}/merge`, target.head),
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

  /** By the first way that the repository allows. */
  private async merge(path: string, sha: unknown): Promise<Written> {
    let answer: Written = { status: 0, data: null };
    for (const merge_method of METHODS) {
      // The base moves while others merge.
      for (let nth = 0; nth < MERGES_MAX; nth += 1) {
        answer = await this.http.write("PUT", path, { sha, merge_method });
        if (answer.status !== 405 || !/base branch was modified/i.test(wordsOf(answer.data))) break;
      }
      if (answer.status !== 405 || !/merg(?:es|e commits) are not allowed/i.test(wordsOf(answer.data))) break;
    }
    return answer;
  }

  private list<T>(path: string, pick: (row: Json) => T): Promise<T[]> {
    return this.http.list(path, (data) => rowsOf(data)?.map(pick) ?? null);
  }

  private async one(path: string, pick?: (data: unknown) => unknown): Promise<unknown> {
    const { status, data } = await this.http.get(path, pick);
    if (status !== 200) throw unexpected(path, status, data);
    return data;
  }
}
