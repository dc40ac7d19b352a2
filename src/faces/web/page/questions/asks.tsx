/** The questions of one member, where its card, task or conversation is shown; and an answer to many at once. */
import { useRef, useState } from "preact/hooks";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";
import { Button } from "../parts/fields.tsx";
import { QuestionCard } from "./card.tsx";
import { useSettled } from "./settled.ts";
import { useStill } from "./still.ts";

/** Null: nobody's. */
export function AsksOf({ who }: { who: string | null }) {
  const { shown, leave } = useSettled(app.replay ? [] : app.questions.filter(({ by }) => by === who));
  if (shown.length === 0) return null;
  return (
    <ul class="asks-of" onPointerLeave={leave}>
      {shown.map((one) => (
        <QuestionCard key={one.question.id} {...one} />
      ))}
    </ul>
  );
}

/** All permissions in sight, asked once more before they are sent. Those that come meanwhile are not among them. */
export function AnswerAll({ questions }: { questions: readonly Question[] }) {
  const [asked, setAsked] = useState<{ word: "yes" | "no"; ids: ReadonlySet<string> } | null>(null);
  const box = useRef<HTMLSpanElement>(null);
  const { isStill, guard } = useStill(box);
  const all = questions.filter(({ kind, id }) => kind === "permission" && (asked?.ids.has(id) ?? true));
  if (!app.mayAct) return null;
  const ask = (word: "yes" | "no"): void => setAsked({ word, ids: new Set(all.map(({ id }) => id)) });
  const verb = asked?.word === "yes" ? "Allow" : "Refuse";
  const send = async (): Promise<void> => {
    const word = asked?.word ?? "no";
    setAsked(null);
    let done = 0;
    for (const question of all)
      if ((await app.send({ do: "answer", request: question.id, answer: word, text: "" })).ok) done += 1;
    app.say(`${word === "yes" ? "Allowed" : "Refused"} ${done} of ${all.length}.`, done < all.length);
  };
  return (
    <div class="toolbar">
      {asked === null || all.length === 0 ? (
        <>
          {all.length > 1 && (
            <>
              <span class="dim">{all.length} permissions:</span>
              <Button onClick={() => ask("yes")}>Allow all</Button>
              <Button onClick={() => ask("no")}>Refuse all</Button>
            </>
          )}
          <span class="dim keys-hint">
            y allows, x refuses, s allows for this session, a always; j and k move
          </span>
        </>
      ) : (
        <span class="row" ref={box} onClickCapture={guard}>
          {verb} all {all.length}, as they stand below?
          <Button class="primary" aria-disabled={!isStill || undefined} onClick={() => void send()}>
            {verb} {all.length}
          </Button>
          <Button onClick={() => setAsked(null)}>Keep</Button>
        </span>
      )}
    </div>
  );
}
