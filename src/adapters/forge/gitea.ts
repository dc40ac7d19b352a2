/** Gitea and Forgejo as a forge, over their REST interface. Checks are statuses; a thread is what was said about one line of one file. */
import { type Json, number, of, text } from "../../core/forge/json.ts";
import type { Sending } from "../../core/forge/memory.ts";
import type { Check, LineComment, Request, Talk } from "../../core/forge/model.ts";
import type { Instant } from "../../core/ids.ts";
import type { Sent } from "../../ports/forge.ts";
import { type Calls, done, Rest } from "./rest.ts";
import { statusOf, wordsIn } from "./shapes.ts";

const STATES: Readonly<Record<string, string>> = {
  ...{ APPROVED: "APPROVED", COMMENT: "COMMENTED", PENDING: "PENDING", REQUEST_CHANGES: "CHANGES_REQUESTED" },
};
const placeOf = ({ path, position, original_position }: Json) => ({
  ...{ path, new_position: position ?? 0, old_position: original_position ?? 0 },
});

export class Gitea extends Rest {
  protected readonly queries = {
    ...{ issues: "state=open&type=issues", assignee: "assigned_by" },
    ...{ open: "state=open&sort=recentupdate", all: "state=all&sort=recentupdate" },
  };
  private readonly stuck = new Map<number, string>();

  /** It says no more than whether a request can be merged, and no while it finds out: a conflict is what stays. */
  override async request(nr: number): Promise<Request> {
    const found = await super.request(nr);
    const isStuck = this.stuck.get(nr) === found.head;
    this.stuck.set(nr, found.mergeable === true ? "" : found.head);
    if (found.mergeable === true) return { ...found, mergeState: "clean" };
    return { ...found, mergeable: isStuck ? false : null, mergeState: isStuck ? "dirty" : "unknown" };
  }

  /** The comments on lines, with what they are of. */
  private async linesOf(nr: number) {
    const reviews = await this.list(`/pulls/${nr}/reviews`, (row) => ({
      ...{ ...wordsIn(row), state: STATES[text(row.state)] ?? "DISMISSED" },
    }));
    const rows: { readonly row: Json; readonly review: number }[] = [];
    for (const { id, state } of reviews)
      if (state !== "PENDING")
        rows.push(
          ...(await this.list(`/pulls/${nr}/reviews/${id}/comments`, (row) => ({ row, review: id }))),
        );
    return { reviews, rows };
  }

  async talk(nr: number): Promise<Talk> {
    const { reviews, rows } = await this.linesOf(nr);
    const resolved: number[] = [];
    const roots = new Map<string, number>();
    const lines = rows.map(({ row, review }): LineComment => {
      const [words, line] = [wordsIn(row), number(row.position) || null];
      const key = JSON.stringify(placeOf(row));
      const root = roots.get(key) ?? words.id;
      roots.set(key, root);
      if (of(row.resolver).id !== undefined) resolved.push(root);
      return { ...words, path: text(row.path), line, replyTo: root === words.id ? null : root, review };
    });
    return { reviews, lines, comments: await this.comments(nr), resolved, editors: new Map() };
  }
  checks = (head: string): Promise<Check[]> => this.list(`/commits/${head}/status`, statusOf, "statuses");

  /** What it answers is the review. */
  override async send(what: Sending, mark: string, until: Instant): Promise<Sent> {
    const sent = await super.send(what, mark, until);
    if (what.kind !== "reply" || sent.kind === "refused") return sent;
    const [mine] = await this.list(`/pulls/${what.target.number}/reviews/${sent.id}/comments`, wordsIn);
    return done(mine?.id ?? null);
  }
  override checksAt = (branch: string): string => `${this.base}/commits/${branch}/status`;

  protected callsOf(target: Sending["target"], body: string, Do: string): Calls {
    const { number: nr, title, branch, base, root, head } = target;
    const pull = `${this.base}/pulls/${nr}`;
    return {
      open: ["POST", `${this.base}/pulls`, { title, head: branch, base, body }],
      // A review with one comment about the line of the thread joins it.
      reply: async () => {
        const found = (await this.linesOf(Number(nr))).rows.find(({ row }) => row.id === root);
        const comments = found && [{ body, ...placeOf(found.row) }];
        return comments ? ["POST", `${pull}/reviews`, { event: "COMMENT", body: "", comments }] : null;
      },
      comment: ["POST", `${this.base}/issues/${nr}/comments`, { body }],
      merge: ["POST", `${pull}/merge`, { Do, head_commit_id: head }],
      update: ["POST", `${pull}/update?style=merge`, {}],
    };
  }
}
