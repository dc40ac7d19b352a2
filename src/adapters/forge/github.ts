/** GitHub as a forge, over REST; GraphQL only for what REST does not have: resolved threads, who edited a text, and the merge queue. */
import { isEkidenError, orElse } from "../../core/errors.ts";
import { type Json, number, of, rows, text } from "../../core/forge/json.ts";
import type { Sending } from "../../core/forge/memory.ts";
import type { Author, Check, Talk } from "../../core/forge/model.ts";
import { logEnd, PASSES } from "../../core/forge/settle.ts";
import { type Calls, Rest } from "./rest.ts";
import { checkOf, checkRunOf, type Found, lineOf, statusOf, wordsIn } from "./shapes.ts";

const PULL = (what: string): string =>
  `query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${what} } } }`;
const EDITED = "ID editor { __typename login ... on User { databaseId } ... on Bot { databaseId } }";
const DETAILS = `comments(last: 100) { nodes { ${EDITED} } } reviews(last: 100) { nodes { ${EDITED} } } reviewThreads(first: 100) { nodes { isResolved comments(first: 1) { nodes { ID } } newest: comments(last: 50) { nodes { ${EDITED} } } } }`;
const ENQUEUE = `mutation($node: ID!, $head: GitObjectID!) { enqueuePullRequest(input: { pullRequestId: $node, expectedHeadOid: $head }) { mergeQueueEntry { id } } }`;

const nodes = (value: unknown): Json[] => rows(of(value).nodes);
const idIn = (row: Json | undefined): number | null =>
  number(Number(row?.fullDatabaseId ?? row?.databaseId ?? Number.NaN));
const editorOf = ({ databaseId: id, login, __typename }: Json): Author =>
  number(id) === null ? null : { id: id as number, login: text(login), isBot: __typename === "Bot" };
const editors = (letter: string, all: Json[]) =>
  all.flatMap((row): [string, Author][] =>
    of(row.editor).login === undefined ? [] : [[`${letter}${idIn(row)}`, editorOf(of(row.editor))]],
  );

export class Github extends Rest {
  /** Ids have 64 bits, by a name that older servers do not know. */
  private idNames = ["fullDatabaseId", "databaseId"];
  private hasChecks = true;
  protected readonly queries = {
    ...{ issues: "state=open&sort=created&direction=asc", assignee: "assignee" },
    ...{ open: "state=open&sort=updated&direction=desc", all: "state=all&head=HEAD" },
  };

  override log = async (job: number): Promise<string> =>
    logEnd(await this.http.text(`${this.base}/actions/jobs/${job}/logs`));

  async talk(nr: number): Promise<Talk> {
    const reviews = await this.list(`/pulls/${nr}/reviews`, (row) => ({
      ...wordsIn(row),
      state: String(row.state).toUpperCase(),
    }));
    const lines = await this.list(`/pulls/${nr}/comments`, lineOf);
    return { reviews, lines, comments: await this.comments(nr), resolved: [], editors: new Map() };
  }

  /** Without GraphQL no thread counts as resolved, and who edited a text is not known: it is answered once all the same. */
  override details = async (nr: number): Promise<Partial<Talk>> => {
    const { comments, reviews, reviewThreads } = await this.pull(nr, DETAILS);
    const threads = nodes(reviewThreads);
    const resolved = threads.filter(({ isResolved }) => isResolved === true);
    const lines = threads.flatMap((thread) => nodes(thread.newest));
    const all = [...editors("c", nodes(comments)), ...editors("r", nodes(reviews)), ...editors("l", lines)];
    return {
      resolved: resolved.flatMap((thread) => idIn(nodes(thread.comments)[0]) ?? []),
      editors: new Map(all),
    };
  };

  override isQueued = async (nr: number): Promise<boolean | null> => {
    const { isInMergeQueue } = await this.pull(nr, "isInMergeQueue");
    return typeof isInMergeQueue === "boolean" ? isInMergeQueue : null;
  };

  /** What GraphQL says of a request; nothing where it may not be asked. */
  private async pull(nr: number, what: string): Promise<Json> {
    for (const id of this.idNames) {
      const asked = this.http.graphql(PULL(what.replaceAll("ID", id)), { ...this.repo, number: nr });
      const data = await orElse(asked, "forge_refused", null);
      if (!data) continue;
      this.idNames = [id];
      return of(of(data.repository).pullRequest);
    }
    return {};
  }

  async checks(head: string): Promise<Check[]> {
    const runs = await this.jobs(head);
    // They have not come to an end, whatever the statuses say.
    if (runs.some(({ conclusion }) => conclusion === null)) return runs;
    return [...runs, ...(await this.list(`/commits/${head}/status`, statusOf, "statuses"))];
  }

  private async jobs(head: string): Promise<Check[]> {
    if (this.hasChecks)
      try {
        const found = await this.list(`/commits/${head}/check-runs`, checkRunOf, "check_runs");
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
      const path = `/actions/runs/${run.run}/jobs?filter=latest`;
      const jobs = await this.list(path, (row) => checkOf(row, run.run, number(row.id)), "jobs");
      all.push(...(jobs.length > 0 ? jobs : [run]));
    }
    return all;
  }

  private runs(head: string): Promise<Found[]> {
    const pick = (row: Json): Found => ({
      ...checkOf(row, number(row.id), null),
      suite: number(row.check_suite_id),
    });
    return this.list(`/actions/runs?head_sha=${head}`, pick, "workflow_runs");
  }

  protected override hasRun = ({ run, attempt }: Sending["target"]): Promise<boolean> =>
    this.one(
      `${this.base}/actions/runs/${run}`,
      ({ run_attempt, status }) =>
        (number(run_attempt) ?? 1) > Number(attempt ?? 1) || status !== "completed",
    );

  protected callsOf(target: Sending["target"], body: string, merge_method: string): Calls {
    const { number: nr, title, branch, base, root, run, head, node } = target;
    const pull = `${this.base}/pulls/${nr}`;
    return {
      open: ["POST", `${this.base}/pulls`, { title, head: branch, base, body }],
      reply: ["POST", `${pull}/comments/${root}/replies`, { body }],
      comment: ["POST", `${this.base}/issues/${nr}/comments`, { body }],
      rerun: ["POST", `${this.base}/actions/runs/${run}/rerun-failed-jobs`, {}],
      merge: ["PUT", `${pull}/merge`, { sha: head, merge_method }],
      update: ["PUT", `${pull}/update-branch`, { expected_head_sha: head }],
      queue: ["POST", this.http.access.graphql, { query: ENQUEUE, variables: { node, head } }],
    };
  }
}
