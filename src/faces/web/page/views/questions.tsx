/** What waits for a person: plans and permissions, shown whole and answered here. */
import { useState } from "preact/hooks";
import { shownCall } from "../../../../core/views/shown-call.ts";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";
import { Left } from "../clock.tsx";
import { Button, TextField } from "../fields.tsx";
import { Empty, Link, TaskLink } from "../parts.tsx";
import { Markdown, Output, Patch } from "../text.tsx";
import { CallInput } from "./entries.tsx";

export function QuestionsView() {
  const { questions } = app;
  if (app.replay)
    return (
      <Empty title="Questions are answered live">The journal shows which were asked at this moment.</Empty>
    );
  if (questions.length === 0)
    return (
      <Empty title="Nobody waits for an answer">
        Questions, plans and permissions that need a person appear here.
      </Empty>
    );
  return (
    <ul class="questions">
      {questions.map((question) => (
        <Card key={question.id} question={question} />
      ))}
    </ul>
  );
}

function Card({ question }: { question: Question }) {
  const [text, setText] = useState("");
  const [isSent, setSent] = useState(false);
  const { id, kind, by, of, deadline, why, rule } = question;
  const answer = async (word: string): Promise<void> => {
    setSent(true);
    if (
      !(await app.act({
        do: "answer",
        request: id,
        answer: word,
        text: kind === "question" && word !== "" ? "" : text,
      }))
    )
      setSent(false);
  };
  const isPlan = kind === "plan";
  return (
    <li class="question">
      <header>
        <h2>
          <Title question={question} />
        </h2>
        <span class="dim">
          {of !== "person" && `put to ${of} · `}
          <Left until={deadline} /> left
        </span>
      </header>
      {why && <p class="dim">Why it is asked: {why}.</p>}
      <div class="asked">
        {isPlan ? (
          <Markdown text={question.text} />
        ) : question.diff?.includes("\n@@") ? (
          <>
            {question.diff.startsWith("--- /dev/null") && <p class="dim">A new file</p>}
            <Patch text={question.diff} />
          </>
        ) : kind === "question" ? (
          <Asked question={question} isSent={isSent} answer={answer} />
        ) : kind === "permission" && question.call !== undefined ? (
          <CallInput call={question.call} />
        ) : (
          <Output text={question.text} head={40} tail={0} />
        )}
      </div>
      {app.mayAct && kind === "question" && (
        <div class="answers">
          <TextField aria-label={`To ${by}`} placeholder="In your own words" value={text} onValue={setText} />
          <Button disabled={isSent || text.trim() === ""} onClick={() => void answer("")}>
            Answer
          </Button>
        </div>
      )}
      {app.mayAct && kind !== "shutdown" && kind !== "question" && (
        <div class="answers">
          <TextField
            aria-label={`To ${by}`}
            placeholder={isPlan ? "What must be different, or a remark" : "What to do instead, if not"}
            value={text}
            onValue={setText}
          />
          <Button class="primary" disabled={isSent} onClick={() => void answer("yes")}>
            {isPlan ? "Approve" : "Allow"}
          </Button>
          <Button disabled={isSent} onClick={() => void answer("no")}>
            {isPlan ? "Reject" : "Refuse"}
          </Button>
          {rule && (
            <Button
              disabled={isSent}
              onClick={() => void answer("always")}
              title="For this and all later calls of this kind; written into the project's settings"
            >
              Always allow <code>{rule}</code>
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

type AskedProps = {
  readonly question: Question;
  readonly isSent: boolean;
  readonly answer: (word: string) => Promise<void>;
};

/** A question with a button for each option. */
function Asked({ question: { text, options = [] }, isSent, answer }: AskedProps) {
  return (
    <>
      <Markdown text={text} />
      <ul class="options">
        {options.map(({ label, description }, i) => (
          <li key={label}>
            <Button disabled={isSent || !app.mayAct} onClick={() => void answer(`${i + 1}`)}>
              {label}
            </Button>
            {description !== "" && <span class="dim">{description}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

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
  const path = call && shownCall(call).kind === "command" ? "" : text.slice((tool ?? "").length + 2);
  return (
    <>
      {who} asks to run {tool} {path && <code>{path}</code>}
      <span class="for-task">{current && <TaskLink id={current} />}</span>
    </>
  );
}
