/** One question to a person, shown whole and answered there: the same card in Questions, Team, a conversation, a task and the board. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { shownCall } from "../../../../core/views/shown-call.ts";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";
import { Left } from "../parts/clock.tsx";
import { Button, TextField } from "../parts/fields.tsx";
import { Link, TaskLink } from "../parts/parts.tsx";
import { Markdown, Output, Patch } from "../parts/text.tsx";
import { CallInput } from "../views/entries.tsx";
import { RuleForm } from "./rule-form.tsx";
import { answer, isHeld, type Settled, takeBack } from "./settled.ts";
import { useStill } from "./still.ts";

export function QuestionCard({ question, answered, isChosen = false }: Settled & { isChosen?: boolean }) {
  const [isSent, setSent] = useState(false);
  const box = useRef<HTMLLIElement>(null);
  const { isStill, guard } = useStill(box);
  const { id, of, deadline, why } = question;
  const say = async (word: string, said = ""): Promise<void> => {
    setSent(true);
    const isAll = word === "edits";
    if (isAll && !(await app.act({ do: "steer", what: "mode", who: "", value: "accept-edits" })))
      return setSent(false);
    const all = isAll ? app.questions.filter(isEditInDefault) : [];
    for (const one of all) if (one.id !== id) void answer(one, "yes");
    if (!(await answer(question, isAll ? "yes" : word, said)) || isHeld(id)) setSent(false);
  };
  return (
    <li
      class={`question${isChosen ? " chosen" : ""}${answered === null ? "" : " answered"}`}
      id={`question-${id}`}
      aria-current={isChosen ? "true" : undefined}
      ref={box}
      onClickCapture={guard}
    >
      <header>
        <h2>
          <Title question={question} />
        </h2>
        <span class="dim">
          {of !== "person" && `put to ${of} · `}
          {answered === null && <Left until={deadline} />}
        </span>
      </header>
      {why && <p class="dim">Asked because {why}.</p>}
      <div class="asked">
        <About question={question} />
      </div>
      <Answers
        question={question}
        answered={answered}
        isOff={isSent || answered !== null}
        isStill={isStill}
        say={say}
      />
    </li>
  );
}

/** What is asked about, whole. */
function About({ question: { kind, text, diff, call } }: { question: Question }): ComponentChildren {
  if (kind === "plan" || kind === "question") return <Markdown text={text} />;
  if (diff?.includes("\n@@"))
    return (
      <>
        {diff.startsWith("--- /dev/null") && <p class="dim">A new file</p>}
        <Patch text={diff} />
      </>
    );
  if (kind === "permission" && call !== undefined) return <CallInput call={call} />;
  return <Output text={text} head={40} tail={0} />;
}

type AnswersProps = {
  readonly question: Question;
  readonly answered: string | null;
  readonly isOff: boolean;
  readonly isStill: boolean;
  readonly say: (word: string, said?: string) => Promise<void>;
};

/** They keep their room after the answer: nothing below them moves. */
function Answers({ question, answered, isOff, isStill, say }: AnswersProps) {
  const { id, kind, rule } = question;
  if (answered !== null && !app.mayAct) return <p class="answer-of">{answered}</p>;
  if (!app.mayAct || kind === "shutdown") return null;
  return (
    <div class="answering" role="group" aria-label="Your answer" aria-disabled={!isStill || undefined}>
      {kind === "question" && <Options question={question} isOff={isOff} say={say} />}
      <Words question={question} isOff={isOff} say={say} />
      {isEditInDefault(question) && (
        <Button class="link all-edits" disabled={isOff} onClick={() => void say("edits")}>
          Allow all edits of this run
        </Button>
      )}
      {rule && <RuleForm rule={rule} isSent={isOff} say={say} />}
      {answered !== null && (
        <p class="answer-of" role="status">
          {answered}
          {isHeld(id) && (
            <Button class="link" onClick={() => takeBack(id)}>
              Take back
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** An edit that is asked about because of the mode, not of a rule. */
const isEditInDefault = ({ kind, call, why }: Question): boolean =>
  kind === "permission" &&
  call !== undefined &&
  /^(?:edit|write)$/.test(shownCall(call).kind) &&
  /\bmode default\b/.test(why ?? "");

type PartProps = Pick<AnswersProps, "question" | "isOff" | "say">;

/** A field for words, and the buttons. */
function Words({ question: { kind, by }, isOff, say }: PartProps) {
  const [text, setText] = useState("");
  const isPlan = kind === "plan";
  const hint = isPlan ? "What to change, or a remark" : "What to do instead, if not";
  return (
    <div class="answers">
      <TextField
        aria-label={`To ${by}`}
        placeholder={kind === "question" ? "In your own words" : hint}
        value={text}
        onValue={setText}
      />
      {kind === "question" ? (
        <Button disabled={isOff || text.trim() === ""} onClick={() => void say("", text)}>
          Answer
        </Button>
      ) : (
        <>
          <Button class="primary" disabled={isOff} onClick={() => void say("yes", text)}>
            {isPlan ? "Approve" : "Allow"}
          </Button>
          <Button disabled={isOff} onClick={() => void say("no", text)}>
            {isPlan ? "Reject" : "Refuse"}
          </Button>
        </>
      )}
    </div>
  );
}

/** A button for each option. */
const Options = ({ question: { options = [] }, isOff, say }: PartProps) =>
  options.length === 0 ? null : (
    <ul class="options">
      {options.map(({ label, description }, i) => (
        <li key={label}>
          <Button disabled={isOff} onClick={() => void say(`${i + 1}`)}>
            {label}
          </Button>
          {description !== "" && <span class="dim">{description}</span>}
        </li>
      ))}
    </ul>
  );

function Title({ question: { kind, by, task, tool, text, attempt, call } }: { question: Question }) {
  const who = <Link to={{ view: "conversation", item: by }}>{by}</Link>;
  if (kind === "plan")
    return (
      <>
        {who} plans {task !== null && <TaskLink id={task} />}
        {attempt !== null && attempt > 1 && ` (attempt ${attempt})`}
      </>
    );
  if (kind === "question") return <>{who} asks you</>;
  if (kind === "shutdown") return <>{who} asks for a stop</>;
  const current = app.model.members.get(by)?.task;
  const isCommand = call !== undefined && shownCall(call).kind === "command";
  const path = isCommand ? "" : text.slice((tool ?? "").length + 2);
  return (
    <>
      {who} wants to {isCommand ? "run a command" : <>use {tool}</>} {path && <code>{path}</code>}
      <span class="for-task">{current && <TaskLink id={current} />}</span>
    </>
  );
}
