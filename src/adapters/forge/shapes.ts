/** The objects of GitHub, and of those that are like it, as values: fields that are absent are as empty ones. */
import { authorOf, type Json, number, of, rows, text } from "../../core/forge/json.ts";
import type { Check, Issue, LineComment, Request, Words } from "../../core/forge/model.ts";
import { logEnd } from "../../core/forge/settle.ts";

export const wordsIn = (row: Json): Words => ({
  id: number(row.id) ?? 0,
  by: authorOf(row.user ?? row.author),
  text: text(row.body ?? row.description),
});
export const issueOf = (row: Json): Issue => ({
  ...{ ...wordsIn(row), number: number(row.number ?? row.iid) ?? 0, title: text(row.title) },
  // The words of a confidential one would be read in its request.
  isOpen: row.state !== "closed" && row.confidential !== true,
  comments: number(row.comments ?? row.user_notes_count) ?? 1,
  labels: ((row.labels ?? []) as unknown[]).map((one) => text(of(one).name ?? one)),
  assignees: rows(row.assignees).map(({ login, username }) => text(login ?? username)),
});
export const lineOf = (row: Json): LineComment => ({
  ...{ ...wordsIn(row), path: text(row.path), line: number(row.line) ?? number(row.original_line) },
  ...{ replyTo: number(row.in_reply_to_id), review: number(row.pull_request_review_id) },
});
export type Opened = Request & { readonly branch: string };
export const requestOf = (row: Json): Opened => ({
  ...{ number: number(row.number) ?? 0, node: text(row.node_id), body: text(row.body) },
  ...{ url: text(row.html_url), state: row.state === "closed" ? "closed" : "open" },
  mergedAs: row.merged === true || text(row.merged_at) !== "" ? text(row.merge_commit_sha) : null,
  ...{ head: text(of(row.head).sha), branch: text(of(row.head).ref), updatedAt: text(row.updated_at) },
  mergeable: typeof row.mergeable === "boolean" ? row.mergeable : null,
  mergeState: text(row.mergeable_state),
});

/** Of the address of a job: its run and itself. */
const JOB = /\/actions\/runs\/(\d{1,15})(?:\/job\/(\d{1,15}))?/;

export type Found = Check & { readonly suite: number | null };

export function checkRunOf(row: Json): Found {
  const [, run, job] = JOB.exec(text(row.details_url)) ?? JOB.exec(text(row.html_url)) ?? [];
  const { title, summary, text: more } = of(row.output);
  const said = [title, summary, more].map(text).filter(Boolean).join("\n");
  return {
    ...checkOf(row, run === undefined ? null : Number(run), job === undefined ? number(row.id) : Number(job)),
    ...{ said: logEnd(said), suite: number(of(row.check_suite).id) },
  };
}
export const checkOf = (row: Json, run: number | null, job: number | null): Check => ({
  ...{ name: text(row.name), run, job },
  conclusion: row.status === "completed" ? text(row.conclusion) || "failure" : null,
});

const STATUSES: Readonly<Record<string, string | null>> = {
  ...{ success: "success", pending: null, warning: "neutral", skipped: "skipped" },
};
/** What another service says of a commit. Words that are not known are failures. */
export function statusOf(row: Json): Check {
  const [state, said] = [text(row.status) || text(row.state), text(row.description)];
  const conclusion = state in STATUSES ? (STATUSES[state] ?? null) : "failure";
  return { name: text(row.context), conclusion, run: null, job: null, said };
}
