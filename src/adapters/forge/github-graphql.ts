/** What REST does not have: resolved threads, who edited a text, and the merge queue. */
import { isEkidenError } from "../../core/errors.ts";
import type { Sending } from "../../core/forge/memory.ts";
import type { Author, Repo, Talk } from "../../core/forge/model.ts";
import { editorOf, idIn } from "./github-shapes.ts";
import type { ForgeHttp } from "./http.ts";
import { type Json, of, rows } from "./json.ts";

const PULL = (what: string): string =>
  `query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${what} } } }`;
const THREADS = "reviewThreads(first: 100) { nodes { id isResolved comments(first: 1) { nodes { ID } } } }";
const EDITED =
  "nodes { ID editor { __typename login ... on User { databaseId } ... on Bot { databaseId } } }";
const EDITORS = `comments(last: 100) { ${EDITED} } reviews(last: 100) { ${EDITED} } reviewThreads(last: 50) { nodes { comments(last: 50) { ${EDITED} } } }`;
const ENQUEUE = `mutation($node: ID!, $head: GitObjectID!) { enqueuePullRequest(input: { pullRequestId: $node, expectedHeadOid: $head }) { mergeQueueEntry { id } } }`;

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
  async details(nr: number, isEdited: boolean): Promise<Pick<Talk, "resolved" | "editors">> {
    const resolved = rows(of((await this.pull(nr, THREADS)).reviewThreads).nodes).flatMap((thread) =>
      thread.isResolved === true ? (idIn(rows(of(thread.comments).nodes)[0]) ?? []) : [],
    );
    const said = isEdited ? await this.pull(nr, EDITORS) : {};
    const nodes = (value: unknown): Json[] => rows(of(value).nodes);
    const editors = (letter: string, all: Json[]) =>
      all.flatMap((row): [string, Author][] =>
        of(row.editor).login === undefined ? [] : [[`${letter}${idIn(row)}`, editorOf(of(row.editor))]],
      );
    const lines = nodes(said.reviewThreads).flatMap(({ comments }) => nodes(comments));
    const all = [
      ...editors("c", nodes(said.comments)),
      ...editors("r", nodes(said.reviews)),
      ...editors("l", lines),
    ];
    return { resolved, editors: new Map(all) };
  }

  async isQueued(nr: number): Promise<boolean | null> {
    const { isInMergeQueue } = await this.pull(nr, "isInMergeQueue");
    return typeof isInMergeQueue === "boolean" ? isInMergeQueue : null;
  }

  /** What GraphQL says of a request; nothing where it may not be asked. */
  private async pull(number: number, what: string): Promise<Json> {
    for (const id of this.idNames) {
      const query = PULL(what.replaceAll("ID", id));
      const data = await this.http
        .graphql(query, { owner: this.repo.owner, name: this.repo.name, number })
        .catch((error: unknown) => {
          if (isEkidenError(error, "tool_failed") || isEkidenError(error, "forge_refused")) return null;
          throw error;
        });
      if (data) this.idNames = [id];
      if (data) return of(of(data.repository).pullRequest);
    }
    return {};
  }

  /** Why it was refused; null where it is in the queue. */
  async enqueue({ node, head }: Sending["target"]): Promise<string | null> {
    return await this.http.graphql(ENQUEUE, { node, head }, true).then(
      () => null,
      (error: unknown) => {
        if (isEkidenError(error, "tool_failed")) return error.message;
        throw error;
      },
    );
  }
}
