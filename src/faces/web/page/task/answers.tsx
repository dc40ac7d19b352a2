/** Answers to what waits for a person: alone beside the task or member that asks, by keys, and many at once. */
import { useState } from "preact/hooks";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";
import { Button } from "../parts/fields.tsx";
import { Link } from "../parts/parts.tsx";

/** "y", "n" and "a" are answers to these. */
export const isYesNo = ({ kind }: Question): boolean => kind === "permission" || kind === "plan";

export const answer = (question: Question, word: string, text = ""): Promise<boolean> =>
  app.act({ do: "answer", request: question.id, answer: word, text });

const WORDS = {
  permission: "Read what it wants to run, and answer →",
  plan: "Read its plan, and answer →",
  question: "Read its question, and answer →",
  shutdown: "It asks for a stop",
} as const;
const SHORT = 200;
/** Nothing is allowed that is not seen whole. */
const isWhole = ({ kind, text, diff }: Question): boolean =>
  kind === "permission" && diff === undefined && text.length <= SHORT && !text.trim().includes("\n");

/** Beside what asks: the words and yes or no, or the way to the whole of it. */
function Inline({ question }: { question: Question }) {
  const [isSent, setSent] = useState(false);
  const say = async (word: string): Promise<void> => {
    setSent(true);
    if (!(await answer(question, word))) setSent(false);
  };
  return (
    <div class="inline-ask">
      <Link to={{ view: "questions", item: "", task: null }}>
        {isWhole(question) ? question.text : WORDS[question.kind]}
      </Link>
      {app.mayAct && isWhole(question) && (
        <span class="row">
          <Button disabled={isSent} onClick={() => void say("yes")}>
            Allow
          </Button>
          <Button disabled={isSent} onClick={() => void say("no")}>
            Refuse
          </Button>
        </span>
      )}
    </div>
  );
}

/** The questions of a member, where its card or task is shown. */
export function AsksOf({ who }: { who: string | null }) {
  if (who === null || app.replay) return null;
  return (
    <>
      {app.questions
        .filter(({ by }) => by === who)
        .map((question) => (
          <Inline key={question.id} question={question} />
        ))}
    </>
  );
}

/** All permissions in sight, asked once more before they are sent. */
export function AnswerAll({ questions }: { questions: readonly Question[] }) {
  const [word, setWord] = useState<"yes" | "no" | null>(null);
  const all = questions.filter(({ kind }) => kind === "permission");
  if (!app.mayAct || all.length < 2) return null;
  const send = async (): Promise<void> => {
    const chosen = word ?? "no";
    setWord(null);
    let done = 0;
    for (const question of all)
      if ((await app.send({ do: "answer", request: question.id, answer: chosen, text: "" })).ok) done += 1;
    app.say(`${chosen === "yes" ? "Allowed" : "Refused"} ${done} of ${all.length}.`, done < all.length);
  };
  return (
    <div class="toolbar">
      {word === null ? (
        <>
          <span class="dim">{all.length} permissions:</span>
          <Button onClick={() => setWord("yes")}>Allow all</Button>
          <Button onClick={() => setWord("no")}>Refuse all</Button>
          <span class="dim keys-hint">
            y allows, n refuses, s allows for this session, a always; j and k move
          </span>
        </>
      ) : (
        <>
          <span>
            {word === "yes" ? "Allow" : "Refuse"} all {all.length}, as they stand below?
          </span>
          <Button class="primary" onClick={() => void send()}>
            {word === "yes" ? "Allow" : "Refuse"} {all.length}
          </Button>
          <Button onClick={() => setWord(null)}>Keep</Button>
        </>
      )}
    </div>
  );
}
