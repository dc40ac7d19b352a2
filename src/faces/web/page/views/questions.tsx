/** The questions to a person: plans and permissions, shown whole and answered here. */
import type { ComponentChildren } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { shownCall } from "../../../../core/views/shown-call.ts";
import type { Question } from "../../wire.ts";
import { app } from "../app.ts";
import { useKeys } from "../keys.ts";
import { Left } from "../parts/clock.tsx";
import { Button, TextField } from "../parts/fields.tsx";
import { Empty, Link, TaskLink } from "../parts/parts.tsx";
import { Markdown, Output, Patch } from "../parts/text.tsx";
import { AnswerAll, answer, isYesNo } from "../task/answers.tsx";
import { CallInput } from "./entries.tsx";
import { RuleForm } from "./rule-form.tsx";

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
  return <Cards questions={questions} />;
}

/** A key that was meant for the question before must not answer the next one. */
const FRESH_MS = 500;

function Cards({ questions }: { questions: readonly Question[] }) {
  // Read at the moment of a key: a key answers what is marked on the page and still open, or nothing.
  const chosen = useRef({ id: "", at: 0 });
  if (!questions.some(({ id }) => id === chosen.current.id))
    chosen.current = { id: questions[0]?.id ?? "", at: Date.now() };
  const keys = useCallback((key: string): boolean => {
    const open = app.questions;
    const at = open.findIndex(({ id }) => id === chosen.current.id);
    const word = { y: "yes", n: "no", a: "always", s: "session" }[key];
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
    if (mayAnswer && Date.now() - chosen.current.at >= FRESH_MS) void answer(question, word);
    return true;
  }, []);
  useKeys(keys);
  return (
    <>
      <AnswerAll questions={questions} />
      <ul class="questions">
        {questions.map((question) => (
          <Card
            key={question.id}
            question={question}
            isChosen={questions.length > 1 && question.id === chosen.current.id}
          />
        ))}
      </ul>
    </>
  );
}

function Card({ question, isChosen }: { question: Question; isChosen: boolean }) {
  const [text, setText] = useState("");
  const [isSent, setSent] = useState(false);
  const { id, kind, of, deadline, why, rule } = question;
  const say = async (word: string, said = kind === "question" && word !== "" ? "" : text): Promise<void> => {
    setSent(true);
    if (!(await answer(question, word, said))) setSent(false);
  };
  return (
    <li
      class={`question${isChosen ? " chosen" : ""}`}
      id={`question-${id}`}
      aria-current={isChosen ? "true" : undefined}
    >
      <header>
        <h2>
          <Title question={question} />
        </h2>
        <span class="dim">
          {of !== "person" && `put to ${of} · `}
          <Left until={deadline} />
        </span>
      </header>
      {why && <p class="dim">Asked because {why}.</p>}
      <Body question={question} isSent={isSent} say={say} />
      {app.mayAct && kind !== "shutdown" && (
        <Answers question={question} text={text} setText={setText} isSent={isSent} say={say} />
      )}
      {rule && app.mayAct && <RuleForm rule={rule} isSent={isSent} say={say} />}
    </li>
  );
}

type Say = (word: string) => Promise<void>;

/** What is asked about, whole. */
function Body({ question, isSent, say }: { question: Question; isSent: boolean; say: Say }) {
  const { kind, text, diff, call } = question;
  const about = (): ComponentChildren => {
    if (kind === "plan") return <Markdown text={text} />;
    if (diff?.includes("\n@@"))
      return (
        <>
          {diff.startsWith("--- /dev/null") && <p class="dim">A new file</p>}
          <Patch text={diff} />
        </>
      );
    if (kind === "question") return <Asked question={question} isSent={isSent} answer={say} />;
    if (kind === "permission" && call !== undefined) return <CallInput call={call} />;
    return <Output text={text} head={40} tail={0} />;
  };
  return <div class="asked">{about()}</div>;
}

type AnswersProps = {
  readonly question: Question;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly isSent: boolean;
  readonly say: Say;
};

/** A field for words, and the buttons. */
function Answers({ question: { kind, by }, text, setText, isSent, say }: AnswersProps) {
  const isPlan = kind === "plan";
  const hint = isPlan ? "What must be different, or a remark" : "What to do instead, if not";
  return (
    <div class="answers">
      <TextField
        aria-label={`To ${by}`}
        placeholder={kind === "question" ? "In your own words" : hint}
        value={text}
        onValue={setText}
      />
      {kind === "question" ? (
        <Button disabled={isSent || text.trim() === ""} onClick={() => void say("")}>
          Answer
        </Button>
      ) : (
        <>
          <Button class="primary" disabled={isSent} onClick={() => void say("yes")}>
            {isPlan ? "Approve" : "Allow"}
          </Button>
          <Button disabled={isSent} onClick={() => void say("no")}>
            {isPlan ? "Reject" : "Refuse"}
          </Button>
        </>
      )}
    </div>
  );
}

type AskedProps = {
  readonly question: Question;
  readonly isSent: boolean;
  readonly answer: Say;
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
  const isCommand = call !== undefined && shownCall(call).kind === "command";
  const path = isCommand ? "" : text.slice((tool ?? "").length + 2);
  return (
    <>
      {who} wants to {isCommand ? "run a command" : <>use {tool}</>} {path && <code>{path}</code>}
      <span class="for-task">{current && <TaskLink id={current} />}</span>
    </>
  );
}
