import { expect, it } from "vitest";
import type { Event, Fact } from "../../core/event.ts";
import { asTaskId, instant, type Name } from "../../core/ids.ts";
import { News } from "./news.ts";

const [alice, bob] = ["alice" as Name, "bob" as Name];
const event = (fact: Fact): Event => ({ seq: 1, at: instant(0), ...fact });
const EVIDENCE = "`npm test` ended with exit code 1 on the merged tree:\n2 tests failed";

const reopened = (by: Name): Event =>
  event({ type: "task.reopened", task: asTaskId(1), by, attempt: 1, why: "gate", evidence: EVIDENCE });
const refused = (who: Name): Event =>
  event({
    type: "tool.called",
    who,
    tool: "complete_task",
    subject: "#1",
    ms: 9,
    isError: true,
    note: `#1 is not completed, it cannot land (refused 1 of 3 times). ${EVIDENCE}`,
  });
const failed = (by: Name): Event =>
  event({
    type: "task.failed",
    task: asTaskId(1),
    subject: "Ship",
    by,
    attempt: 1,
    reason: `complete_task was refused: ${EVIDENCE}`,
  });

it("shows a red gate once: not again as the answer to the call, nor as the reason of the failure", () => {
  const news = new News();
  expect(news.of(reopened(alice))?.text).toContain("2 tests failed");
  expect(news.of(refused(alice))).toBeNull();
  expect(news.of(failed(alice))?.text).toBe("failed #1 Ship: see the reason above");
  // It hides no news of another member.
  expect(news.of(refused(bob))?.text).toContain("2 tests failed");
  expect(news.of(failed(bob))?.text).toContain("2 tests failed");
});
