/** What REST does not have: resolved threads, who edited a text, and the merge queue. */
import { isEkidenError } from "../../core/errors.ts";
import { type Json, number, of, rows, text } from "../../core/forge/json.ts";
import type { Sending } from "../../core/forge/memory.ts";
import type { Author, Repo, Talk } from "../../core/forge/model.ts";
import type { Sent } from "../../ports/forge.ts";
import type { ForgeHttp } from "./http.ts";

const PULL = (what: string): string =>
  `query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${what} } } }`;
const EDITED = "ID editor { __typename login ... on User { databaseId } ... on Bot { databaseId } }";
const DETAILS = `comments(last: 100) { nodes { ${EDITED} } } reviews(last: 100) { nodes { ${EDITED} } } reviewThreads(first: 100) { nodes { isResolved comments(first: 50) { nodes { ${EDITED} } } } }`;
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

export class GithubGraph {
  private readonly repo: Repo;
  private readonly http: ForgeHttp;
  /** Ids have 64 bits, by a name that older servers do not know. */
  private idNames = ["fullDatabaseId", "databaseId"];

  constructor(repo: Repo, http: ForgeHttp) {
    this.repo = repo;
    this.http = http;
  }

  /** Without GraphQL no thread counts as resolved, and who edited a text is not known: it is answered once all the same. */
  async details(nr: number): Promise<Pick<Talk, "resolved" | "editors">> {
    const { comments, reviews, reviewThreads } = await this.pull(nr, DETAILS);
    const threads = nodes(reviewThreads);
    const resolved = threads.filter(({ isResolved }) => isResolved === true);
    const lines = threads.flatMap((thread) => nodes(thread.comments));
    const all = [...editors("c", nodes(comments)), ...editors("r", nodes(reviews)), ...editors("l", lines)];
    return {
      resolved: resolved.flatMap((thread) => idIn(nodes(thread.comments)[0]) ?? []),
      editors: new Map(all),
    };
  }

  async isQueued(nr: number): Promise<boolean | null> {
    const { isInMergeQueue } = await this.pull(nr, "isInMergeQueue");
    return typeof isInMergeQueue === "boolean" ? isInMergeQueue : null;
  }

  /** What GraphQL says of a request; nothing where it may not be asked. */
  private async pull(number: number, what: string): Promise<Json> {
    for (const id of this.idNames) {
      const query = PULL(what.replaceAll("ID", id));
      const data = await this.http.graphql(query, { ...this.repo, number }).catch((error: unknown) => {
        if (isEkidenError(error, "tool_failed") || isEkidenError(error, "forge_refused")) return null;
        throw error;
      });
      if (data) this.idNames = [id];
      if (data) return of(of(data.repository).pullRequest);
    }
    return {};
  }

  enqueue({ node, head }: Sending["target"]): Promise<Sent> {
    return this.http.graphql(ENQUEUE, { node, head }, true).then(
      () => ({ kind: "done", id: null, url: "" }),
      (error: unknown) => {
        if (isEkidenError(error, "tool_failed")) return { kind: "refused", why: error.message };
        throw error;
      },
    );
  }
}
