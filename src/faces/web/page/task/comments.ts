/** Comments that a person is still writing: they stay over a reload, in this tab, and go out in one batch. */
import { tried } from "../../../../core/tried.ts";
import type { ReviewComment } from "../../../../core/views/outcome.ts";
import { app } from "../app.ts";

const keyOf = (team: string): string => `ekiden-review-${team}`;

export const commentsOf = (team: string): readonly ReviewComment[] =>
  tried(() => JSON.parse(sessionStorage.getItem(keyOf(team)) ?? "[]") as ReviewComment[], []);

/** One for a line; without words it is taken away. */
export function comment(team: string, one: ReviewComment): void {
  const others = commentsOf(team).filter(({ path, line }) => path !== one.path || line !== one.line);
  keep(team, one.text.trim() === "" ? others : [...others, one]);
}

export async function sendComments(team: string): Promise<void> {
  if (await app.act({ do: "review", comments: commentsOf(team) })) keep(team, []);
}

function keep(team: string, list: readonly ReviewComment[]): void {
  // Full: they are lost with the next reload.
  tried(() => sessionStorage.setItem(keyOf(team), JSON.stringify(list)), null);
  app.draw();
}
