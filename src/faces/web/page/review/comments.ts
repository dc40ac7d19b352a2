/** A review that a person is still writing: comments stay over a reload, in this tab, and go out in one batch; files that were read stay marked in this browser. */
import type { PatchFile } from "../../../../core/text/diff.ts";
import { tried } from "../../../../core/tried.ts";
import type { ReviewComment } from "../../../../core/views/outcome.ts";
import { app } from "../app.ts";

const keyOf = (team: string): string => `ekiden-review-${team}`;
const viewedKey = (): string => `ekiden-viewed-${app.project}-${app.teamName}`;

export const commentsOf = (team: string): readonly ReviewComment[] =>
  tried(() => JSON.parse(sessionStorage.getItem(keyOf(team)) ?? "[]") as ReviewComment[], []);

const placeOf = ({ path, line, until, removed }: ReviewComment): string =>
  JSON.stringify([path, until ?? line, removed === true]);

/** One for the last line of its range; without words it is taken away. */
export function comment(team: string, one: ReviewComment): void {
  const others = commentsOf(team).filter((other) => placeOf(other) !== placeOf(one));
  keep(team, one.text.trim() === "" ? others : [...others, one]);
}

export async function sendComments(team: string): Promise<void> {
  if (await app.act({ do: "review", comments: commentsOf(team) })) keep(team, []);
}

export const dropComments = (team: string): void => keep(team, []);

function keep(team: string, list: readonly ReviewComment[]): void {
  // Full: they are lost with the next reload.
  tried(() => sessionStorage.setItem(keyOf(team), JSON.stringify(list)), null);
  app.draw();
}

/** A file that changes after it was read is not read any more. */
export function markOf({ kind, lines }: PatchFile): string {
  let sum = 0;
  for (const { sign, text } of lines)
    for (let i = 0; i < text.length; i += 1)
      sum = (Math.imul(sum, 31) + text.charCodeAt(i) + sign.charCodeAt(0)) | 0;
  return `${kind} ${lines.length} ${sum}`;
}

type Viewed = Readonly<Record<string, string>>;

/** The marks of files that were read, by path. */
export const viewedFiles = (): Viewed =>
  tried(() => JSON.parse(localStorage.getItem(viewedKey()) ?? "{}") as Viewed, {});

export function setViewed(path: string, mark: string | null): void {
  const { [path]: _, ...others } = viewedFiles();
  const kept = mark === null ? others : { ...others, [path]: mark };
  tried(() => localStorage.setItem(viewedKey(), JSON.stringify(kept)), null);
  app.draw();
}
