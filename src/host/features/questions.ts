/** Questions to the person. Where nobody watches, a question has a limit; where somebody does, it waits as long as the team lives. */
import { askPerson } from "../../tools/ask-person.ts";
import { WATCHED_MS } from "../permission-questions.ts";
import type { MakeFeature } from "../setup.ts";

export const questions: MakeFeature = ({ parts: { settings }, questions: { isWatched } }) => ({
  tools: () => [askPerson(isWatched ? WATCHED_MS : settings.questionDeadlineMs)],
});
