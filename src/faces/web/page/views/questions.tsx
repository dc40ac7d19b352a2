/** The questions to a person: plans and permissions, shown whole and answered here. */
import { useCallback, useRef } from "preact/hooks";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";
import { useKeys } from "../keys.ts";
import { Empty } from "../parts/parts.tsx";
import { AnswerAll } from "../questions/asks.tsx";
import { QuestionCard } from "../questions/card.tsx";
import { answer, isHeld, type Settled, useSettled } from "../questions/settled.ts";
import { MOVED_MS } from "../questions/still.ts";

export function QuestionsView() {
  const { shown, leave } = useSettled(app.replay ? [] : app.questions);
  if (app.replay)
    return (
      <Empty title="Questions are answered live">The journal shows which were asked at this moment.</Empty>
    );
  if (shown.length === 0)
    return (
      <Empty title="No question waits for an answer">
        Questions, plans and permissions that need a person appear here.
      </Empty>
    );
  return <Cards shown={shown} leave={leave} />;
}

/** "y", "x" and "a" are answers to these. */
const isYesNo = ({ kind }: Question): boolean => kind === "permission" || kind === "plan";

function Cards({ shown, leave }: { shown: readonly Settled[]; leave: () => void }) {
  // Read at the moment of a key: a key answers what is marked on the page and still open, or nothing.
  const chosen = useRef({ id: "", at: 0 });
  const questions = shown.flatMap(({ question, answered }) => (answered === null ? [question] : []));
  const order = useRef(questions);
  order.current = questions;
  if (!questions.some(({ id }) => id === chosen.current.id))
    chosen.current = { id: questions[0]?.id ?? "", at: Date.now() };
  const keys = useCallback((key: string): boolean => {
    const live = new Set(app.questions.map(({ id }) => id));
    const open = order.current.filter(({ id }) => live.has(id) && !isHeld(id));
    const at = open.findIndex(({ id }) => id === chosen.current.id);
    const word = { y: "yes", x: "no", a: "always", s: "session" }[key];
    const next = { j: 1, k: -1 }[key];
    if (next !== undefined) {
      const to = open[(at + next + open.length) % open.length];
      if (to) chosen.current = { id: to.id, at: 0 }; // by hand
      document.getElementById(`question-${to?.id}`)?.scrollIntoView({ block: "nearest" });
      app.draw();
      return true;
    }
    if (word === undefined || !app.mayAct) return false;
    const question = open[at];
    const mayAnswer =
      question && isYesNo(question) && (word === "yes" || word === "no" || question.rule !== undefined);
    // A key that was meant for the question before must not answer the next one.
    if (mayAnswer && Date.now() - chosen.current.at >= MOVED_MS) void answer(question, word);
    return true;
  }, []);
  useKeys(keys);
  return (
    <>
      <AnswerAll questions={questions} />
      <ul class="questions" onPointerLeave={leave}>
        {shown.map((one) => (
          <QuestionCard
            key={one.question.id}
            {...one}
            isChosen={questions.length > 1 && one.question.id === chosen.current.id}
          />
        ))}
      </ul>
    </>
  );
}
