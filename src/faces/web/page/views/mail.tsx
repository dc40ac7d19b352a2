/** The view of mail: sender, recipient, text, and whether it was read. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Mail, words } from "../../../../core/board/mail.ts";
import { PERSON } from "../../../../core/ids.ts";
import type { MailPage } from "../../wire.ts";
import { app } from "../app.ts";
import { useReturns } from "../live/facts.ts";
import { Check, Choice, Form } from "../parts/fields.tsx";
import { Empty, Link, Time } from "../parts/parts.tsx";
import { Markdown } from "../parts/text.tsx";

const LATEST = 300;

export function MailView() {
  const { mail, isLoading } = useMail();
  const [isRoutine, setRoutine] = useState(false);
  const box = app.route.item;
  const until = app.replay?.time ?? Number.POSITIVE_INFINITY;
  const shown = useMemo(
    () =>
      mail
        .filter(
          (one) =>
            one.at <= until &&
            (box === "" || one.to === box || one.from === box) &&
            (isRoutine || one.body.kind !== "idle_notice"),
        )
        .slice(-LATEST)
        .reverse(),
    [mail, until, box, isRoutine],
  );
  return (
    <div class="mail">
      <div class="toolbar">
        <Choice
          label="Mailbox"
          value={box}
          options={[["", "All mail"], ["person", "you"], ...app.model.members.keys()]}
          onValue={(item) => app.go({ item })}
        />
        <Check value={isRoutine} onValue={setRoutine}>
          Also notices that a member is idle
        </Check>
      </div>
      {app.mayAct && app.model.members.size > 0 && (
        <Compose key={box} to={box && box !== "person" ? box : "lead"} />
      )}
      {shown.length === 0 ? (
        <Empty title={isLoading ? "Loading" : "No mail"}>
          {isLoading ? "" : "What you and the members write to each other appears here."}
        </Empty>
      ) : (
        <ol class="letters">
          {shown.map((one) => (
            <Letter key={one.id} mail={one} until={until} />
          ))}
        </ol>
      )}
    </div>
  );
}

function useMail(): { mail: readonly Mail[]; isLoading: boolean } {
  const [state, setState] = useState<{ mail: readonly Mail[]; isLoading: boolean }>({
    mail: [],
    isLoading: true,
  });
  const { team } = app.route;
  const returns = useReturns(state.isLoading);
  useEffect(() => {
    let isOver = false;
    const known = new Map<number, Mail>();
    const take = ({ mail }: MailPage): void => {
      for (const one of mail) known.set(one.id, one);
      if (!isOver) setState({ mail: [...known.values()].sort((a, b) => a.id - b.id), isLoading: false });
    };
    const read = (ids: string): void =>
      void app.source.get<MailPage>(`${team}/mail`, ids ? { ids } : {}).then(take, () => {});
    const stop = app.tap((events) => {
      const ids = events.flatMap((event) =>
        event.type === "mail.sent" || event.type === "mail.delivered" ? [event.mail as number] : [],
      );
      for (const event of events) if (event.type === "mail.withdrawn") known.delete(event.mail);
      if (events.some(({ type }) => type === "mail.withdrawn")) take({ mail: [] });
      if (ids.length > 0) read([...new Set(ids)].join(","));
    });
    read("");
    return () => {
      isOver = true;
      stop();
    };
  }, [team, returns]);
  return state;
}

function Letter({ mail, until }: { mail: Mail; until: number }) {
  const isRead = mail.deliveredAt !== null && mail.deliveredAt <= until;
  const text = words(mail.body);
  const [first = "", ...rest] = text.replace(/^(About #\d+:)\n/, "$1 ").split("\n");
  const isLong = rest.length > 0 || first.length > 160;
  return (
    <li class={`letter${isRead || mail.to === PERSON ? "" : " queued"}`}>
      <header>
        <Name name={mail.from} /> → <Name name={mail.to} />
        <span class="dim">{mail.body.kind.replaceAll("_", " ")}</span>
        {mail.urgent && <span class="tag bad">urgent</span>}
        {!isRead && mail.to !== PERSON && <span class="tag warn">queued</span>}
        <Time at={mail.at} />
        {!isRead && mail.from === PERSON && app.mayAct && (
          <button type="button" onClick={() => void app.act({ do: "withdraw", id: mail.id })}>
            Take back
          </button>
        )}
      </header>
      {isLong ? (
        <details>
          <summary>{first.slice(0, 160)}</summary>
          <Markdown text={text} />
        </details>
      ) : (
        <p>{text}</p>
      )}
    </li>
  );
}

const Name = ({ name }: { name: string }) =>
  app.model.members.has(name) ? (
    <Link to={{ view: "conversation", item: name }}>{name}</Link>
  ) : (
    <b>{name === PERSON ? (app.overview?.readOnly ? "the person" : "you") : name}</b>
  );

function Compose({ to: first }: { to: string }) {
  const [to, setTo] = useState(first);
  const [text, setText] = useState("");
  const [isUrgent, setUrgent] = useState(false);
  return (
    <Form
      class="compose"
      onSend={async () => {
        if (await app.act({ do: "send", to, text, urgent: isUrgent })) setText("");
      }}
    >
      <Choice label="To" value={to} options={["all", ...app.model.members.keys()]} onValue={setTo} />
      <textarea
        aria-label="Text"
        rows={2}
        placeholder={`Write to ${to}`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Check value={isUrgent} onValue={setUrgent} title="Interrupts what the member is doing">
        Urgent
      </Check>
      <button type="submit" disabled={text.trim() === ""}>
        Send
      </button>
    </Form>
  );
}
