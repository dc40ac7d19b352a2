/** What a delivery of a webhook is about, so that it is looked at. Nothing else of it is believed: it may be late, twice, or lost. Pure. */
import { of, rows } from "./json.ts";
import { isMarked } from "./marker.ts";

/** Numbers and commits, and "issues" where an issue may have become work. Empty where there is nothing to look at. */
export function aboutOf(event: string, payload: unknown, repo: string): string[] {
  const all = of(payload);
  const name = of(all.repository).full_name ?? of(all.project).path_with_namespace;
  if (typeof name === "string" && name.toLowerCase() !== repo.toLowerCase()) return [];
  // The team's own words are no news.
  const { body, note } = { ...of(all.comment), ...of(all.object_attributes) };
  if (isMarked(String(body ?? note ?? ""))) return [];
  const checks = [all.check_run, all.check_suite, all.workflow_run, all.workflow_job].map(of);
  const numbers = [
    ...[all.number, of(all.pull_request).number, of(all.issue).number],
    ...[of(all.merge_request).iid, of(all.object_attributes).iid],
    ...checks.flatMap(({ pull_requests }) => rows(pull_requests).map(({ number }) => number)),
  ];
  const commits = [all.sha, of(all.object_attributes).sha, ...checks.map(({ head_sha }) => head_sha)];
  const found = [
    ...numbers.flatMap((one) => (Number.isSafeInteger(one) ? `${one}` : [])),
    ...commits.flatMap((one) => (typeof one === "string" && /^[0-9a-f]{40,64}$/.test(one) ? one : [])),
    ...(/^issues?(?:_label|_assign)?$|^(?:Issue|Work Item) Hook$/.test(event) ? ["issues"] : []),
  ];
  return [...new Set(found)].slice(0, 50);
}
