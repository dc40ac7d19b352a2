/** Gitea and Forgejo as a forge, over their REST interface. Checks are statuses; a thread is what was said about one line of one file. */
import { isEkidenError } from "../../core/errors.ts";
import type { Sending } from "../../core/forge/memory.ts";
import {
  type Check,
  type Issue,
  type LineComment,
  type Repo,
  type Request,
  repoName,
  type Talk,
  type Words,
} from "../../core/forge/model.ts";
import type { Instant } from "../../core/ids.ts";
import type { Forge, Page, Sent } from "../../ports/forge.ts";
import { issueOf, requestOf, wordsIn } from "./github-shapes.ts";
import type { ForgeHttp } from "./http.ts";
import { unexpected, wordsOf } from "./http-answers.ts";
import { type Json, number, of, rowsOf, text } from "./json.ts";

const STATES: Readonly<Record<string, string>> = {
  APPROVED: "APPROVED",
  COMMENT: "COMMENTED",
  PENDING: "PENDING",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
};
/** Others are failures. */
const CONCLUSIONS: Readonly<Record<string, string | null>> = {
  ...{ success: "success", pending: null, warning: "neutral", skipped: "skipped" },
};
const STYLES = ["merge", "squash", "rebase"];
const WRITERS: ReadonlySet<string> = new Set(["owner", "admin", "write"]);

export class Gitea implements Forge {
  readonly repo: Repo;
  private readonly http: ForgeHttp;
  private readonly base: string;

  constructor(repo: Repo, http: ForgeHttp) {
    this.repo = repo;
    this.http = http;
    this.base = `/repos/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.name)}`;
  }

  restore(pages: readonly Page[]): void {
    this.http.restore(pages);
  }
  fresh(): readonly Page[] {
    return this.http.fresh();
  }
  async reach(): Promise<void> {
    await this.one(this.base);
  }
  async account(): Promise<number | null> {
    return number(of(await this.one("/user")).id);
  }

  async issues(which: { readonly labels?: string; readonly assignee?: string }): Promise<Issue[]> {
    const { labels, assignee } = which;
    const query = new URLSearchParams({
      state: "open",
      type: "issues",
      ...(labels && { labels }),
      ...(assignee && { assigned_by: assignee }),
    });
    const found = await this.list(`${this.base}/issues?${query}`, issueOf);
    return found.sort((a, b) => a.number - b.number);
  }
  async issue(nr: number): Promise<Issue> {
    return issueOf(of(await this.one(`${this.base}/issues/${nr}`)));
  }
  comments(nr: number): Promise<Words[]> {
    return this.list(`${this.base}/issues/${nr}/comments`, wordsIn);
  }

  async open() {
    const found = await this.list(`${this.base}/pulls?state=open&sort=recentupdate`, requestOf);
    return new Map(found.map(({ number, updatedAt, head }) => [number, { updatedAt, head }]));
  }
  /** It says no more than whether a request can be merged, and no while it finds out: a conflict is what stays. */
  async request(nr: number): Promise<Request> {
    const row = of(await this.one(`${this.base}/pulls/${nr}`));
    const found = requestOf(row);
    const isStuck = row.mergeable !== true && this.stuck.get(nr) === found.head;
    if (row.mergeable === true) this.stuck.delete(nr);
    else this.stuck.set(nr, found.head);
    const mergeState = row.mergeable === true ? "clean" : isStuck ? "dirty" : "unknown";
    return { ...found, mergeable: row.mergeable === true || (isStuck ? false : null), mergeState };
  }
  private readonly stuck = new Map<number, string>();

  async talk(nr: number): Promise<Talk> {
    const path = `${this.base}/pulls/${nr}/reviews`;
    const found = await this.list(path, (row) => ({
      ...wordsIn(row),
      state: STATES[text(row.state)] ?? "DISMISSED",
    }));
    const lines: LineComment[] = [];
    const resolved: number[] = [];
    const roots = new Map<string, number>();
    for (const { id, state } of found) {
      if (state === "PENDING") continue;
      for (const row of await this.list(`${path}/${id}/comments`, (one) => one)) {
        const [words, position] = [wordsIn(row), number(row.position) || null];
        const key = placeOf(row);
        const root = roots.get(key) ?? words.id;
        roots.set(key, root);
        if (of(row.resolver).id !== undefined) resolved.push(root);
        const replyTo = root === words.id ? null : root;
        lines.push({ ...words, path: text(row.path), line: position, replyTo, review: id });
      }
    }
    return { reviews: found, lines, comments: await this.comments(nr), resolved, editors: new Map() };
  }
  /** All of it is in `talk`; who edited a text is told to nobody. */
  async details(nr: number): Promise<Pick<Talk, "resolved" | "editors">> {
    const { resolved, editors } = await this.talk(nr);
    return { resolved, editors };
  }
  isQueued(): Promise<null> {
    return Promise.resolve(null);
  }

  checks(head: string): Promise<Check[]> {
    return this.http.list(`${this.base}/commits/${head}/status?limit=50`, (data) =>
      (rowsOf(of(data).statuses ?? []) ?? []).map(statusOf),
    );
  }
  log(): Promise<string> {
    return Promise.resolve("");
  }
  files(nr: number): Promise<string[]> {
    return this.list(`${this.base}/pulls/${nr}/files`, (row) => text(row.filename));
  }

  async mayWrite(login: string, id: number): Promise<boolean> {
    const path = `${this.base}/collaborators/${encodeURIComponent(login)}/permission`;
    const data = await this.one(path).catch((error: unknown) => {
      if (isEkidenError(error, "forge_refused")) return {};
      throw error;
    });
    return number(of(of(data).user).id) === id && WRITERS.has(text(of(data).permission));
  }

  private async requestFor(branch: string, mark: string): Promise<Sent | null> {
    const all = await this.list(`${this.base}/pulls?state=all&sort=recentupdate`, (row) => ({
      ...requestOf(row),
      branch: text(of(row.head).ref),
    }));
    const found = all.find(
      (one) => one.branch === branch && (one.body.includes(mark) || one.state === "open"),
    );
    return found ? { kind: "done", id: found.number, url: found.url } : null;
  }

  async wasSent({ kind, target }: Sending, mark: string): Promise<Sent | null> {
    const nr = Number(target.number);
    if (kind === "open") return await this.requestFor(String(target.branch), mark);
    if (kind === "reply" || kind === "comment") {
      const own = await this.account();
      const { lines, comments } = await this.talk(nr);
      const mine = [...lines, ...comments].find(
        ({ text: said, by }) => said.includes(mark) && by?.id === own,
      );
      return mine ? { kind: "done", id: mine.id, url: "" } : null;
    }
    const now = await this.request(nr);
    return now.mergedAs !== null || now.head !== target.head ? { kind: "done", id: null, url: "" } : null;
  }

  async send(what: Sending, mark: string, until: Instant): Promise<Sent> {
    this.http.writesUntil = until;
    const { kind, target } = what;
    const body = `${what.body}\n\n${mark}`;
    const pull = `${this.base}/pulls/${target.number}`;
    if (kind === "queue" || kind === "rerun") return { kind: "refused", why: `this forge has no ${kind}` };
    if (kind === "reply") return await this.reply(pull, Number(target.root), body);
    const { title, branch: head, base } = target;
    const ask = {
      open: () => this.http.write("POST", `${this.base}/pulls`, { title, head, base, body }),
      comment: () => this.http.write("POST", `${this.base}/issues/${target.number}/comments`, { body }),
      merge: () => this.merge(`${pull}/merge`, String(target.head)),
      update: () => this.http.write("POST", `${pull}/update?style=merge`, {}),
    };
    const { status, data } = await ask[kind]();
    const { id, number: nr, html_url } = of(data);
    if (status < 300) return { kind: "done", id: number(kind === "open" ? nr : id), url: text(html_url) };
    const there = kind === "open" && status === 409 ? await this.requestFor(String(head), mark) : null;
    return (
      there ?? { kind: "refused", why: `${kind} ${repoName(this.repo)}: ${status} ${wordsOf(data)}`.trim() }
    );
  }

  /** A review with one comment about the line of the thread joins it. */
  private async reply(pull: string, root: number, body: string): Promise<Sent> {
    for (const { id } of await this.list(`${pull}/reviews`, wordsIn))
      for (const row of await this.list(`${pull}/reviews/${id}/comments`, (one) => one)) {
        if (row.id !== root) continue;
        const place = {
          path: row.path,
          new_position: row.position ?? 0,
          old_position: row.original_position ?? 0,
        };
        const review = { event: "COMMENT", body: "", comments: [{ body, ...place }] };
        const { status, data } = await this.http.write("POST", `${pull}/reviews`, review);
        if (status >= 300) return { kind: "refused", why: `reply: ${status} ${wordsOf(data)}` };
        const [mine] = await this.list(`${pull}/reviews/${of(data).id}/comments`, wordsIn);
        return { kind: "done", id: mine?.id ?? null, url: "" };
      }
    return { kind: "refused", why: "reply: the thread is gone" };
  }

  private async merge(path: string, head_commit_id: string) {
    let answer: Pick<Awaited<ReturnType<ForgeHttp["get"]>>, "status" | "data"> = { status: 0, data: null };
    for (const Do of STYLES) {
      answer = await this.http.write("POST", path, { Do, head_commit_id });
      if (answer.status !== 405 || !/not allowed|style/i.test(wordsOf(answer.data))) break;
    }
    return answer;
  }

  private list<T>(path: string, pick: (row: Json) => T): Promise<T[]> {
    return this.http.list(`${path}${path.includes("?") ? "&" : "?"}limit=50`, (data) =>
      (rowsOf(data ?? []) ?? []).map(pick),
    );
  }
  private async one(path: string): Promise<unknown> {
    const { status, data } = await this.http.get(path);
    if (status !== 200) throw unexpected(path, status, data);
    return data;
  }
}

const placeOf = (row: Json): string =>
  JSON.stringify([row.path, row.position ?? 0, row.original_position ?? 0]);

function statusOf(row: Json): Check {
  const state = text(row.status) || text(row.state);
  const conclusion = state in CONCLUSIONS ? (CONCLUSIONS[state] ?? null) : "failure";
  return { name: text(row.context), conclusion, run: null, job: null, said: text(row.description) };
}
