/** GitHub as a forge, over REST; GraphQL only for what REST does not have: resolved threads, who edited a text, and the merge queue. */
import { isEkidenError } from "../../core/errors.ts";
import { number } from "../../core/forge/json.ts";
import type { Sending } from "../../core/forge/memory.ts";
import type { Check, Talk } from "../../core/forge/model.ts";
import { logEnd, PASSES } from "../../core/forge/settle.ts";
import type { Instant } from "../../core/ids.ts";
import type { Sent } from "../../ports/forge.ts";
import { GithubGraph } from "./github-graphql.ts";
import { type Calls, Rest } from "./rest.ts";
import { checkOf, checkRunOf, type Found, lineOf, statusOf, wordsIn } from "./shapes.ts";

export class Github extends Rest {
  private readonly graph = new GithubGraph(this.repo, this.http);
  private hasChecks = true;
  protected readonly queries = {
    ...{ issues: "state=open&sort=created&direction=asc", assignee: "assignee" },
    ...{ open: "state=open&sort=updated&direction=desc", all: "state=all&head=HEAD" },
  };

  override isQueued = (nr: number): Promise<boolean | null> => this.graph.isQueued(nr);
  override details = (nr: number) => this.graph.details(nr);
  override log = async (job: number): Promise<string> =>
    logEnd(await this.http.text(`${this.base}/actions/jobs/${job}/logs`));

  async talk(nr: number): Promise<Talk> {
    const [reviews, lines, comments] = [
      await this.list(`/pulls/${nr}/reviews`, (row) => ({
        ...wordsIn(row),
        state: String(row.state).toUpperCase(),
      })),
      await this.list(`/pulls/${nr}/comments`, lineOf),
      await this.comments(nr),
    ];
    return { reviews, lines, comments, resolved: [], editors: new Map() };
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
    const pick = (row: Parameters<typeof checkOf>[0]): Found => ({
      ...{ ...checkOf(row, number(row.id), null), suite: number(row.check_suite_id) },
    });
    return this.list(`/actions/runs?head_sha=${head}`, pick, "workflow_runs");
  }

  protected override hasRun = ({ run, attempt }: Sending["target"]): Promise<boolean> =>
    this.one(
      `${this.base}/actions/runs/${run}`,
      ({ run_attempt, status }) =>
        (number(run_attempt) ?? 1) > Number(attempt ?? 1) || status !== "completed",
    );

  override async send(what: Sending, mark: string, until: Instant): Promise<Sent> {
    if (what.kind !== "queue") return await super.send(what, mark, until);
    this.http.writesUntil = until;
    return await this.graph.enqueue(what.target);
  }

  protected callsOf(
    { number: nr, title, branch, base, root, run, head }: Sending["target"],
    body: string,
  ): Calls {
    const pull = `${this.base}/pulls/${nr}`;
    return {
      open: ["POST", `${this.base}/pulls`, { title, head: branch, base, body }],
      reply: ["POST", `${pull}/comments/${root}/replies`, { body }],
      comment: ["POST", `${this.base}/issues/${nr}/comments`, { body }],
      rerun: ["POST", `${this.base}/actions/runs/${run}/rerun-failed-jobs`, {}],
      merge: ["PUT", `${pull}/merge`, {}],
      update: ["PUT", `${pull}/update-branch`, { expected_head_sha: head }],
    };
  }
  protected merging = (merge_method: string, sha: unknown) => ({ sha, merge_method });
}
