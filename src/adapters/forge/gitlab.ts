/** GitLab as a forge, over its REST interface: merge requests, threads of notes, jobs of pipelines, and members by their level of access. */
import { orElse } from "../../core/errors.ts";
import { type Json, number, of, rows, text } from "../../core/forge/json.ts";
import type { Sending } from "../../core/forge/memory.ts";
import { type Check, type LineComment, repoName, type Talk, type Words } from "../../core/forge/model.ts";
import { logEnd } from "../../core/forge/settle.ts";
import { plainText } from "../../core/text/plain-text.ts";
import { type Calls, Rest } from "./rest.ts";
import { type Opened, wordsIn } from "./shapes.ts";

const DEVELOPER = 30;
/** What the forge says of a merge, in the words of the others. Null: it does not know yet. */
const MERGES: Readonly<Record<string, readonly [isMergeable: boolean | null, state: string]>> = {
  ...{ mergeable: [true, "clean"], can_be_merged: [true, "clean"], need_rebase: [true, "behind"] },
  ...{ conflict: [false, "dirty"], cannot_be_merged: [false, "dirty"], ci_still_running: [null, "unknown"] },
  ...{ checking: [null, "unknown"], unchecked: [null, "unknown"], preparing: [null, "unknown"] },
  approvals_syncing: [null, "unknown"],
};
/** Others have not ended. */
const ENDS: Readonly<Record<string, string>> = {
  ...{ success: "success", failed: "failure", canceled: "cancelled", skipped: "skipped" },
  manual: "action_required",
};
/** Words of people that all who see the request may see, too. */
const isPublic = ({ system, internal, confidential }: Json): boolean =>
  ![system, internal, confidential].includes(true);
const BROKEN = /runner|stuck|timeout|scheduler|unmet|data_integrity|api_failure/;

function requestOf(row: Json): Opened {
  const said = text(row.detailed_merge_status) || text(row.merge_status);
  const [mergeable, mergeState] = MERGES[said] ?? [true, said.replaceAll("_", " ")];
  const commits = [row.merge_commit_sha, row.squash_commit_sha, row.sha].map(text);
  return {
    ...{ number: number(row.iid) ?? 0, node: "", body: text(row.description), url: text(row.web_url) },
    state: row.state === "opened" || row.state === "locked" ? "open" : "closed",
    mergedAs: row.state === "merged" ? (commits.find(Boolean) ?? "") : null,
    ...{ head: text(row.sha), branch: text(row.source_branch), updatedAt: text(row.updated_at) },
    ...{ mergeable, mergeState },
  };
}

/** A failure that is allowed is none. */
function checkOf(row: Json, run: number | null): Check {
  const end = ENDS[text(row.status)] ?? null;
  const isAllowed = row.allow_failure === true && (end === "failure" || end === "action_required");
  const isBroken = end === "failure" && BROKEN.test(text(row.failure_reason));
  const conclusion = isAllowed ? "neutral" : isBroken ? "timed_out" : end;
  const job = run === null ? null : number(row.id);
  return { name: text(row.name), conclusion, run, job, said: text(row.description) };
}

export class Gitlab extends Rest {
  protected override readonly pulls = "/merge_requests";
  protected override readonly styles = ["merge"];
  protected override readonly requestOf = requestOf;
  protected readonly queries = {
    ...{ issues: "state=opened&order_by=created_at&sort=asc", assignee: "assignee_username" },
    ...{ open: "state=opened&order_by=updated_at&sort=desc", all: "state=all&source_branch=BRANCH" },
  };
  override get base(): string {
    return `/projects/${encodeURIComponent(repoName(this.repo))}`;
  }

  override log = async (job: number): Promise<string> => {
    const trace = await this.http.text(`${this.base}/jobs/${job}/trace`);
    return logEnd(plainText(trace).replace(/section_(?:start|end):\d+:\S*/g, ""));
  };
  override comments = (nr: number): Promise<Words[]> =>
    this.list(`/issues/${nr}/notes?sort=asc`, (row) => (isPublic(row) ? wordsIn(row) : null));
  override files = (nr: number): Promise<string[]> =>
    this.list(`${this.pulls}/${nr}/diffs`, (row) => text(row.new_path));

  /** Of the whole, and of those in groups above it. */
  override async mayWrite(_login: string, id: number): Promise<boolean> {
    const found = this.one(`${this.base}/members/all/${id}`, (row) =>
      row.id === id && (row.state ?? "active") === "active" ? number(row.access_level) : 0,
    );
    return ((await orElse(found, "forge_refused", 0)) ?? 0) >= DEVELOPER;
  }

  private discussions = (nr: number): Promise<{ id: string; isOne: boolean; notes: Json[] }[]> =>
    this.list(`${this.pulls}/${nr}/discussions`, (row) => {
      const notes = rows(row.notes).filter(isPublic);
      return notes.length === 0 ? null : { id: text(row.id), isOne: row.individual_note === true, notes };
    });

  async talk(nr: number): Promise<Talk> {
    const [lines, comments, resolved]: [LineComment[], Words[], number[]] = [[], [], []];
    for (const { isOne, notes } of await this.discussions(nr)) {
      const root = number(notes[0]?.id) ?? 0;
      const open = notes.filter(({ resolvable }) => resolvable === true);
      if (open.length > 0 && open.every((note) => note.resolved === true)) resolved.push(root);
      for (const note of notes) {
        const { new_path, old_path, new_line, old_line } = of(note.position);
        const path = text(new_path) || text(old_path) || "the request";
        const line = number(new_line) ?? number(old_line);
        const words = wordsIn(note);
        if (isOne) comments.push(words);
        else lines.push({ ...words, path, line, replyTo: words.id === root ? null : root, review: null });
      }
    }
    // Approvals have no words, and are read where the edition of the forge has them.
    const approved = this.one(`${this.base}${this.pulls}/${nr}/approvals`, (row) => rows(row.approved_by));
    const reviews = (await orElse(approved, "forge_refused", [])).map(({ user }, nth) => ({
      ...{ ...wordsIn({ id: nth + 1, user }), state: "APPROVED" },
    }));
    return { reviews, lines, comments, resolved, editors: new Map() };
  }
  /** The jobs of the newest pipeline of each ref, and what other services say of the commit. */
  async checks(head: string): Promise<Check[]> {
    // Where a project has no pipelines, nobody may ask for them.
    const found = await orElse(
      this.list(`/pipelines?sha=${head}`, (row) => row),
      "forge_refused",
      [],
    );
    const byAge = found.sort((a, b) => (number(a.id) ?? 0) - (number(b.id) ?? 0));
    const newest = new Map(byAge.map((row) => [text(row.ref), row]));
    const all: Check[] = [];
    for (const row of newest.values()) {
      const jobs = await this.list(`/pipelines/${row.id}/jobs`, (job) => checkOf(job, number(row.id)));
      const whole = { ...checkOf({ ...row, name: "pipeline" }, number(row.id)), job: null };
      all.push(...(jobs.length > 0 ? jobs : [whole]));
    }
    const known = new Set(all.map(({ name }) => name));
    const others = await this.list(`/repository/commits/${head}/statuses`, (row) => checkOf(row, null));
    return [...all, ...others.filter(({ name }) => !known.has(name))];
  }

  protected override hasRun = ({ run }: Sending["target"]): Promise<boolean> =>
    this.one(`${this.base}/pipelines/${run}`, ({ status }) => status !== "failed" && status !== "canceled");

  protected callsOf(target: Sending["target"], body: string): Calls {
    const { number: nr, title, branch, base, root, run, head: sha, on } = target;
    const request = `${this.base}${this.pulls}/${nr}`;
    const given = { title, source_branch: branch, target_branch: base, description: body };
    return {
      open: ["POST", `${this.base}${this.pulls}`, given],
      reply: async () => {
        const found = (await this.discussions(Number(nr))).find(({ notes }) => notes[0]?.id === root);
        return found ? ["POST", `${request}/discussions/${found.id}/notes`, { body }] : null;
      },
      comment: ["POST", `${on === "issue" ? `${this.base}/issues/${nr}` : request}/notes`, { body }],
      rerun: ["POST", `${this.base}/pipelines/${run}/retry`, {}],
      merge: ["PUT", `${request}/merge`, { sha }],
      update: ["PUT", `${request}/rebase`, {}],
    };
  }

  override rights(row: Json) {
    const { project_access, group_access } = of(row.permissions);
    const level = Math.max(...[project_access, group_access].map((one) => number(of(one).access_level) ?? 0));
    return { pull: level > 0, push: level >= DEVELOPER, admin: level >= 40 };
  }
  override readonly scopesAt = "/personal_access_tokens/self";
  override checksAt = (): string => `${this.base}/pipelines?per_page=1`;
}
