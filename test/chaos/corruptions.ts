/** Small changes of a true history, each of which breaks one rule at least. */
import type { RuleName } from "./checker/check.ts";
import { callsIn } from "./checker/conversations.ts";
import type { EventRow, History, SeenRequest } from "./checker/history.ts";

type Corruption = {
  readonly what: string;
  readonly rule: RuleName;
  readonly corrupt: (history: History) => void;
};

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the true history has no ${what}`);
  return value;
}
const first = ({ events }: History, type: string): EventRow =>
  found(
    events.find((event) => event.type === type),
    type,
  );
const last = ({ events }: History, type: string): EventRow =>
  found(
    events.findLast((event) => event.type === type),
    type,
  );
const edit = (event: EventRow, change: Record<string, unknown>): void => {
  event.data = JSON.stringify({ ...(JSON.parse(event.data) as object), ...change });
};
const dataOf = (event: EventRow) => JSON.parse(event.data) as { task: number; by: string; attempt: number };
const remove = <T>(list: T[], item: T): void => void list.splice(list.indexOf(item), 1);
/** Appends an event to the journal. */
const append = (history: History, event: EventRow): void => {
  const seq = Math.max(...history.events.map((one) => one.seq)) + 1;
  history.events.push({ ...event, seq });
};
const delivered = ({ mail, transcript }: History) => {
  const entry = found(
    transcript.find((row) => row.kind === "heard" && row.entry.includes("<mail id=")),
    "mail in a transcript",
  );
  const [, id] = /<mail id=\\"(\d+)/.exec(entry.entry) ?? [];
  return {
    entry,
    letter: found(
      mail.find((row) => row.id === Number(id)),
      "delivered mail",
    ),
  };
};
const resultOf = ({ transcript }: History, tool: string) =>
  found(
    transcript.find((row) => row.kind === "result" && row.entry.includes(`"tool":"${tool}"`)),
    `result of ${tool}`,
  );
/** Two mails of one sender to one reader, both delivered, with the entries that tell of them. */
const pairOf = ({ mail, transcript }: History) => {
  for (const one of mail)
    for (const other of mail) {
      const sameWay =
        one.sender === other.sender && one.recipient === other.recipient && one.turn === other.turn;
      if (!sameWay || one.id >= other.id || one.state !== 1 || other.state !== 1) continue;
      const [a, b] = [one, other].map(({ id }) =>
        transcript.find((row) => row.entry.includes(`<mail id=\\"${id}\\"`)),
      );
      if (a && b && a !== b) return { one, other, a, b };
    }
  throw new Error("the true history has no two letters on one way");
};
const withCalls = ({ requests }: History) =>
  found(
    requests.findLast(({ messages }) =>
      messages.some(({ content }) => content.some(({ type }) => type === "call")),
    ),
    "request with calls",
  );
type Part = { type: string; id?: string; text?: string };
const partsOf = (history: History, type: string): Part[] =>
  withCalls(history).messages.flatMap(({ content }) =>
    (content as Part[]).filter((part) => part.type === type),
  );

export const CORRUPTIONS: readonly Corruption[] = [
  {
    what: "a claim of a task that somebody has",
    rule: "claims follow each other",
    corrupt: (history) => {
      const claim = first(history, "task.claimed");
      history.events.push({ ...claim, seq: claim.seq + 0.5 });
      edit(history.events.at(-1) as EventRow, { by: "mallory", attempt: dataOf(claim).attempt + 1 });
    },
  },
  {
    what: "a second completion",
    rule: "claims follow each other",
    corrupt: (history) => append(history, first(history, "task.completed")),
  },
  {
    what: "a completion of an older attempt",
    rule: "claims follow each other",
    corrupt: (history) => {
      const done = first(history, "task.completed");
      edit(done, { attempt: dataOf(done).attempt - 1 });
    },
  },
  {
    what: "a completion by somebody else",
    rule: "claims follow each other",
    corrupt: (history) => edit(first(history, "task.completed"), { by: "mallory" }),
  },
  {
    what: "a claim in front of the completion of its blocker",
    rule: "claims follow each other",
    corrupt: (history) => {
      const unblocked = first(history, "task.unblocked");
      const blocker = Number(dataOf(unblocked).by);
      const done = found(
        history.events.find((event) => event.type === "task.completed" && dataOf(event).task === blocker),
        "completion",
      );
      const claim = found(
        history.events.find(
          (event) => event.type === "task.claimed" && dataOf(event).task === dataOf(unblocked).task,
        ),
        "claim",
      );
      claim.seq = done.seq - 0.5;
    },
  },
  {
    what: "an attempt that is left out",
    rule: "claims follow each other",
    corrupt: (history) => {
      const claim = first(history, "task.claimed");
      const { task, attempt } = dataOf(claim);
      for (const event of history.events)
        if (
          /^task\.(claimed|completed|landed|queued|reopened)$/.test(event.type) &&
          dataOf(event).task === task
        )
          edit(event, { attempt: attempt + 1 });
    },
  },
  {
    what: "a member with two tasks at once",
    rule: "claims follow each other",
    corrupt: (history) => {
      const done = first(history, "task.completed");
      const next = found(
        history.events.find(
          (event) =>
            event.type === "task.claimed" && dataOf(event).by === dataOf(done).by && event.seq > done.seq,
        ),
        "further claim",
      );
      next.seq = done.seq - 0.5;
    },
  },
  {
    what: "a release that nobody noted",
    rule: "tables and journal agree",
    corrupt: (history) => {
      const row = found(history.tasks[0], "task");
      row.attempt += 1;
    },
  },
  {
    what: "a task that is gone",
    rule: "tables and journal agree",
    corrupt: (history) => void history.tasks.pop(),
  },
  {
    what: "a task that nobody added",
    rule: "tables and journal agree",
    corrupt: (history) => void history.tasks.push({ ...found(history.tasks[0], "task"), id: 999 }),
  },
  {
    what: "a completion that the journal does not have",
    rule: "tables and journal agree",
    corrupt: (history) => remove(history.events, last(history, "task.completed")),
  },
  {
    what: "a wrong count of open blockers",
    rule: "tables and journal agree",
    corrupt: (history) => {
      found(history.tasks[0], "task").open_blockers = 1;
    },
  },
  {
    what: "an edge that is lost",
    rule: "tables and journal agree",
    corrupt: (history) => void history.edges.pop(),
  },
  {
    what: "a task that was to be split and was not",
    rule: "tasks are split once",
    corrupt: ({ splits }) => splits.push(1),
  },
  {
    what: "a task of a member that is part of no other",
    rule: "tasks are split once",
    corrupt: ({ tasks }) => {
      found(tasks[0], "task").created_by = "alice";
    },
  },
  {
    what: "a task that is never completed",
    rule: "no task is lost",
    corrupt: (history) => {
      found(history.tasks.at(-1), "task").status = "pending";
    },
  },
  {
    what: "a claim that its owner was not told of",
    rule: "claims are told to their owners",
    corrupt: (history) => {
      const entry = found(
        history.transcript.find((row) => row.entry.includes("<auto-claimed task=")),
        "claim in a transcript",
      );
      remove(history.transcript, entry);
    },
  },
  {
    what: "a completion that was answered twice",
    rule: "claims are told to their owners",
    corrupt: (history) => {
      const entry = found(
        history.transcript.find((row) => row.kind === "result" && /"text":"Completed #/.test(row.entry)),
        "completion in a transcript",
      );
      history.transcript.push({ ...entry, seq: 1e9 });
    },
  },
  {
    what: "mail that is lost",
    rule: "mail is sent and delivered once",
    corrupt: (history) => remove(history.mail, delivered(history).letter),
  },
  {
    what: "mail that nobody sent",
    rule: "mail is sent and delivered once",
    corrupt: (history) => void history.mail.push({ ...delivered(history).letter, id: 1_000_000 }),
  },
  {
    what: "mail that is delivered twice in the journal",
    rule: "mail is sent and delivered once",
    corrupt: (history) => append(history, first(history, "mail.delivered")),
  },
  {
    what: "mail that is marked as read and was never heard",
    rule: "mail is heard once, in order",
    corrupt: (history) => remove(history.transcript, delivered(history).entry),
  },
  {
    what: "mail that is heard twice",
    rule: "mail is heard once, in order",
    corrupt: (history) => void history.transcript.push({ ...delivered(history).entry, seq: 1e9 }),
  },
  {
    what: "mail that is heard by somebody else",
    rule: "mail is heard once, in order",
    corrupt: (history) => {
      delivered(history).entry.name = "mallory";
    },
  },
  {
    what: "two letters of one sender in the wrong order",
    rule: "mail is heard once, in order",
    corrupt: (history) => {
      const { a, b } = pairOf(history);
      [a.seq, b.seq] = [b.seq, a.seq];
    },
  },
  {
    what: "an answer of send_message without a letter",
    rule: "letters and answers agree",
    corrupt: (history) => {
      const letter = found(
        history.mail.find(({ body }) => body.includes("letter of")),
        "letter",
      );
      letter.body = letter.body.replace("letter of", "letter from");
    },
  },
  {
    what: "a letter without an answer of send_message",
    rule: "letters and answers agree",
    corrupt: (history) => remove(history.transcript, resultOf(history, "send_message")),
  },
  {
    what: "a request with an unanswered call",
    rule: "requests are acceptable",
    corrupt: (history) => {
      const request = withCalls(history);
      for (const message of request.messages)
        if (message.role === "user" && message.content.some(({ type }) => type === "result"))
          Object.assign(message, { content: [{ type: "text", text: "Continue." }] });
    },
  },
  {
    what: "a request with an answer to no call",
    rule: "requests are acceptable",
    corrupt: (history) => {
      for (const part of partsOf(history, "call").slice(0, 1)) part.id = "other";
    },
  },
  {
    what: "a request with half a character",
    rule: "requests are acceptable",
    corrupt: (history) => {
      for (const part of partsOf(history, "text").slice(0, 1)) part.text = "\ud83d";
    },
  },
  {
    what: "a request with the same mail twice",
    rule: "requests hold mail once, in order",
    corrupt: (history) => {
      const part = found(
        history.requests
          .flatMap(({ messages }) => messages.flatMap(({ content }) => content as Part[]))
          .find(({ text }) => text?.includes("<mail id=")),
        "mail in a request",
      );
      part.text = `${part.text}\n${part.text}`;
    },
  },
  {
    what: "a conversation that forgets",
    rule: "a member has one life",
    corrupt: (history) => {
      const request = withCalls(history);
      request.messages.splice(1, 2);
    },
  },
  {
    what: "an older life that continues",
    rule: "a member has one life",
    corrupt: (history) => {
      const { who } = withCalls(history);
      const own = history.requests.filter((request) => request.who === who);
      const counts = own.map((request) => callsIn(request).length);
      const most = Math.max(...counts);
      const at = counts.findIndex((count, i) => counts[i + 1] === count + 1 && count + 1 < most);
      const nth = Math.max(...history.requests.map((request) => request.nth));
      const [one, two] = own.slice(at, at + 2) as [SeenRequest, SeenRequest];
      history.requests.push({ ...one, nth: nth + 1 }, { ...two, nth: nth + 2 });
    },
  },
  {
    what: "an effect of an attempt that never was",
    rule: "effects belong to claims",
    corrupt: (history) => {
      found(history.effects[0], "effect").attempt = 9;
    },
  },
  {
    what: "an effect of somebody who did not have the task",
    rule: "effects belong to claims",
    corrupt: (history) => {
      found(history.effects[0], "effect").who = "mallory";
    },
  },
  {
    what: "a command that began after the completion",
    rule: "effects belong to claims",
    corrupt: (history) => {
      found(history.effects[0], "effect").at += 3_600_000;
    },
  },
  {
    what: "a completed task whose command never ended",
    rule: "effects belong to claims",
    corrupt: (history) => {
      const { task } = found(history.effects[0], "effect");
      history.effects = history.effects.filter((effect) => effect.task !== task || effect.what !== "end");
    },
  },
  {
    what: "two executions at once",
    rule: "one execution at a time",
    corrupt: (history) => {
      const effect = found(history.effects[0], "effect");
      history.effects.splice(1, 0, { ...effect, run: "other" });
    },
  },
  {
    what: "a file in the project's own checkout",
    rule: "work stays in worktrees",
    corrupt: ({ landings }) => void landings?.strays.push("?? out/1.txt"),
  },
  {
    what: "a merge on the target",
    rule: "the history is linear",
    corrupt: ({ landings }) => void landings?.commits[1]?.parents.push("f".repeat(40)),
  },
  {
    what: "a commit that is missing on the target",
    rule: "the history is linear",
    corrupt: ({ landings }) => void landings?.commits.splice(1, 1),
  },
  {
    what: "a landed commit that the gate has not seen",
    rule: "every landed commit was gated",
    corrupt: ({ landings }) => {
      if (landings) landings.gates = landings.gates.filter(({ tree }) => tree !== landings.commits[0]?.tree);
    },
  },
  {
    what: "a landed commit that the gate has refused",
    rule: "every landed commit was gated",
    corrupt: ({ landings }) => {
      for (const gate of landings?.gates ?? [])
        if (gate.tree === landings?.commits[0]?.tree) gate.green = false;
    },
  },
  {
    what: "a task that landed twice",
    rule: "every completed task landed once",
    corrupt: ({ landings }) => {
      const [one, two] = landings?.commits ?? [];
      if (one && two) two.subject = one.subject;
    },
  },
  {
    what: "a landing that is told of and is not on the target",
    rule: "every completed task landed once",
    corrupt: (history) => edit(first(history, "task.landed"), { commit: "f".repeat(40) }),
  },
  {
    what: "a completed task whose file is not on the target",
    rule: "every completed task landed once",
    corrupt: ({ landings }) => {
      if (landings) delete landings.files["out/1.txt"];
    },
  },
  {
    what: "a completed task whose file with an odd name is not on the target",
    rule: "every completed task landed once",
    corrupt: ({ landings }) => {
      if (landings) landings.odd = [];
    },
  },
];
