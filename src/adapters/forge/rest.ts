/** A forge over REST: what GitHub and those that are like it have in common. Each has a file with what differs. */
import { orElse } from "../../core/errors.ts";
import { type Json, number, of, rowsOf, text } from "../../core/forge/json.ts";
import type { Sending } from "../../core/forge/memory.ts";
import type { Talk, Words } from "../../core/forge/model.ts";
import { type Check, type Issue, type Repo, type Request, repoName } from "../../core/forge/model.ts";
import type { Instant } from "../../core/ids.ts";
import type { Forge, Page, Sent } from "../../ports/forge.ts";
import type { ForgeHttp, Written } from "./http.ts";
import { away, unexpected, wordsOf } from "./http-answers.ts";
import { issueOf, type Opened, requestOf, wordsIn } from "./shapes.ts";

type Call = readonly [method: "POST" | "PUT", path: string, body: object];
type Target = Sending["target"];
/** What sends each kind that the forge has. A function: what it is about is looked for first, and may be gone. */
export type Calls = Partial<Record<Sending["kind"], Call | (() => Promise<Call | null>)>>;

export const done = (id: number | null = null, url = ""): Sent => ({ kind: "done", id, url });
const MERGES_MAX = 3;
const WRITERS: ReadonlySet<string> = new Set(["owner", "admin", "maintain", "write"]);

export abstract class Rest implements Forge {
  readonly repo: Repo;
  protected readonly http: ForgeHttp;
  protected readonly pulls: string = "/pulls";
  protected readonly styles: readonly string[] = ["merge", "squash", "rebase"];
  protected readonly requestOf: (row: Json) => Opened = requestOf;
  private own: number | null = null;
  /** The queries of lists. */
  protected abstract readonly queries: Readonly<Record<"issues" | "assignee" | "open" | "all", string>>;

  constructor(repo: Repo, http: ForgeHttp) {
    [this.repo, this.http] = [repo, http];
  }

  get base(): string {
    return `/repos/${encodeURIComponent(this.repo.owner)}/${encodeURIComponent(this.repo.name)}`;
  }
  /** What the token may do, by what the forge says of the repository; and a list that who may read checks can ask for. */
  rights(row: Json): Readonly<Record<"pull" | "push" | "admin", boolean>> {
    const { pull, push, admin } = of(row.permissions);
    return { pull: pull === true, push: push === true, admin: admin === true };
  }
  checksAt = (branch: string): string => `${this.base}/commits/${branch}/check-runs?per_page=1`;
  /** What tells the scopes of the token; null where nothing does. */
  readonly scopesAt: string | null = null;

  abstract talk(nr: number): Promise<Talk>;
  abstract checks(head: string): Promise<Check[]>;
  /** `style`: of a merge. */
  protected abstract callsOf(target: Target, body: string, style: string): Calls;

  restore = (pages: readonly Page[]): void => this.http.restore(pages);
  fresh = (): readonly Page[] => this.http.fresh();
  /** Whether the token opens the repository. @throws EkidenError `forge_refused` | `forge_away` */
  reach = async (): Promise<void> => void (await this.one(this.base, of));
  account = async (): Promise<number | null> => {
    const asked = this.own ?? this.one("/user", ({ id }) => number(id));
    this.own = await orElse(Promise.resolve(asked), "forge_refused", null);
    return this.own;
  };
  protected hasRun = async (_target: Target): Promise<boolean> => false;
  /** Who edited a text is told to nobody, but for one. */
  details = async (_nr: number): Promise<Partial<Talk>> => ({});
  isQueued = async (_nr: number): Promise<boolean | null> => null;
  log = async (_job: number): Promise<string> => "";
  issue = (nr: number): Promise<Issue> => this.one(`${this.base}/issues/${nr}`, issueOf);
  comments = (nr: number): Promise<Words[]> => this.list(`/issues/${nr}/comments`, wordsIn);
  files = (nr: number): Promise<string[]> =>
    this.list(`/pulls/${nr}/files`, ({ filename }) => text(filename));

  async issues({ labels, assignee }: { labels?: string; assignee?: string }): Promise<Issue[]> {
    const { issues, assignee: by } = this.queries;
    const query = new URLSearchParams(labels === undefined ? { [by]: assignee ?? "" } : { labels });
    const found = await this.list(`/issues?${issues}&${query}`, (row) =>
      row.pull_request ? null : issueOf(row),
    );
    return found.filter(({ isOpen }) => isOpen).sort((a, b) => a.number - b.number);
  }

  async open() {
    const found = await this.list(`${this.pulls}?${this.queries.open}`, this.requestOf);
    return new Map(found.map(({ number: nr, updatedAt, head }) => [nr, { updatedAt, head }]));
  }

  async request(nr: number): Promise<Request> {
    const path = `${this.base}${this.pulls}/${nr}`;
    const found = await this.one(path, this.requestOf);
    if (found.number !== nr || found.head === "") throw away(`${path} was answered with something else`);
    return found;
  }

  async mayWrite(login: string, id: number): Promise<boolean> {
    const path = `${this.base}/collaborators/${encodeURIComponent(login)}/permission`;
    const found = this.one(
      path,
      ({ user, permission }) => of(user).id === id && WRITERS.has(text(permission)),
    );
    return await orElse(found, "forge_refused", false);
  }

  /** The newest request with this head, in any state, whose text has the mark or that is open; null for none. */
  private async requestFor({ branch }: Target, mark: string): Promise<Sent | null> {
    const head = encodeURIComponent(`${this.repo.owner}:${branch}`);
    const query = this.queries.all.replace("HEAD", head).replace("BRANCH", encodeURIComponent(`${branch}`));
    const all = await this.list(`${this.pulls}?${query}`, this.requestOf);
    const isOurs = (one: Opened): boolean => one.body.includes(mark) || one.state === "open";
    const ours = all.filter((one) => one.branch === branch && isOurs(one));
    const [found] = ours.sort((a, b) => b.number - a.number);
    return found ? done(found.number, found.url) : null;
  }

  async wasSent({ kind, target }: Sending, mark: string): Promise<Sent | null> {
    const nr = Number(target.number);
    if (kind === "open") return await this.requestFor(target, mark);
    if (kind === "reply" || kind === "comment") {
      const own = await this.account();
      const isOfIssue = target.on === "issue";
      const { lines, comments } = isOfIssue
        ? { lines: [], comments: await this.comments(nr) }
        : await this.talk(nr);
      const said = kind === "reply" ? lines : comments;
      // Anywhere in it: somebody may have edited the text since.
      const mine = said.find((one) => one.text.includes(mark) && (own === null || one.by?.id === own));
      return mine ? done(mine.id) : null;
    }
    if (kind === "rerun") return (await this.hasRun(target)) ? done() : null;
    if (kind === "queue" && (await this.isQueued(nr))) return done();
    const now = await this.request(nr);
    return now.mergedAs !== null || now.head !== target.head ? done() : null;
  }

  /** A merge goes by the first way that the repository allows. */
  async send({ kind, target, body }: Sending, mark: string, until: Instant): Promise<Sent> {
    this.http.writesUntil = until;
    let answer: Written = { status: 0, data: null };
    const says = (words: RegExp): boolean => answer.status === 405 && words.test(wordsOf(answer.data));
    for (const style of this.styles) {
      const way = this.callsOf(target, `${body}\n\n${mark}`, style)[kind];
      const call = typeof way === "function" ? await way() : way;
      if (!call) return { kind: "refused", why: `${kind}: there is no such thing on this forge` };
      // The base moves while others merge.
      for (let nth = 0; nth === 0 || (nth < MERGES_MAX && says(/base branch was modified/i)); nth += 1)
        answer = await this.http.write(...call);
      if (kind !== "merge" || !says(/not allowed|style/i)) break;
    }
    const { status, data } = answer;
    const { id, number: nr, iid, html_url, web_url, errors } = of(data);
    if (status < 300 && !errors)
      return done(number(kind === "open" ? (nr ?? iid) : id), text(html_url ?? web_url));
    // A request for this branch is there already: of an earlier process, or of a person.
    const isThere = kind === "open" && [409, 422].includes(status);
    const there = isThere ? await this.requestFor(target, mark) : null;
    const why = `${kind} ${repoName(this.repo)}: ${status} ${wordsOf(data)}`.trim();
    return there ?? { kind: "refused", why };
  }

  /** The rows of a list, or of a list in the field `key`; without those that are null. */
  protected async list<T>(path: string, pick: (row: Json) => T | null, key?: string): Promise<T[]> {
    const isThere = (row: T | null): row is T => row !== null;
    return await this.http.list(`${this.base}${path}`, (data) => {
      const found = key === undefined ? data : of(data)[key];
      const rows = found === null ? [] : rowsOf(found);
      return rows?.map(pick).filter(isThere) ?? null;
    });
  }
  protected async one<T>(path: string, pick: (row: Json) => T): Promise<T> {
    const { status, data } = await this.http.get(path, (found) => pick(of(found)));
    if (status !== 200) throw unexpected(path, status, data);
    return data as T;
  }
}
