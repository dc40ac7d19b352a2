/** Changes a team at work: its mode and budget, and the model, effort and conversation of its members. */
import { useEffect, useState } from "preact/hooks";
import { EFFORTS } from "../../../../core/settings/effort.ts";
import { money } from "../../../../core/views/view.ts";
import type { Act, Steering } from "../../wire.ts";
import { app } from "../app.ts";
import { Button, Form, LabelledChoice, Refusal, TextField } from "../parts/fields.tsx";

const MODES = [
  ["plan", "plan: read, change nothing"],
  ["default", "default: ask before changes and commands"],
  ["accept-edits", "accept-edits: ask before commands"],
  ["bypass", "bypass: ask nothing"],
] as const;

type What = Extract<Act, { do: "steer" }>["what"];
type Send = (what: What, who: string, value: string) => Promise<boolean>;

export function SteeringForm() {
  const [now, setNow] = useState<Steering | undefined>(undefined);
  const [refusal, setRefusal] = useState("");
  const { team } = app.route;
  const read = (): void => {
    app.source.get<Steering>(`${team}/steering`).then(setNow, (fault: Error) => {
      setNow(undefined);
      setRefusal(fault.message);
    });
  };
  useEffect(read, [team]);
  const send: Send = async (what, who, value) => {
    const done = await app.send({ do: "steer", what, who, value });
    setRefusal(done.ok ? "" : done.text);
    if (done.ok) app.say(done.text, false);
    read();
    return done.ok;
  };
  return (
    <section class="form steering">
      {now && <Fields now={now} send={send} />}
      <Refusal text={refusal} />
    </section>
  );
}

function Fields({ now, send }: { now: Steering; send: Send }) {
  const [more, setMore] = useState("");
  const limit = now.mostUsd === null ? "no limit" : `of ${money(now.mostUsd)}`;
  return (
    <>
      <h3>Change while it runs</h3>
      {now.usedUp && <p class="warn">{now.usedUp}</p>}
      <div class="form-grid halves">
        <LabelledChoice
          label="Mode"
          value={now.mode}
          options={MODES}
          onValue={(value) => void send("mode", "", value)}
        />
        <Form class="row" onSend={() => send("budget", "", more).then((isDone) => isDone && setMore(""))}>
          <TextField
            label={`US dollars more (${money(now.usd) || "$0"} used, ${limit})`}
            placeholder="5"
            inputMode="decimal"
            value={more}
            onValue={setMore}
          />
          <button type="submit" disabled={more.trim() === ""}>
            Allow
          </button>
        </Form>
      </div>
      <ModelOf now={now} send={send} />
      <ul class="steered">
        {now.members.map(({ who, model, effort, note }) => (
          <li key={who} class="row">
            <b>{who}</b>
            <span class="grow clip dim" title={note}>
              {model}
              {effort && ` · effort ${effort}`}
            </span>
            <Button
              class="link"
              aria-label={`Summarise the conversation of ${who}`}
              onClick={() => void send("compact", who, "")}
            >
              Summarise
            </Button>
            <Anew onYes={() => void send("anew", who, "")} who={who} />
          </li>
        ))}
      </ul>
      <p class="dim">{now.sandbox}</p>
    </>
  );
}

function ModelOf({ now, send }: { now: Steering; send: Send }) {
  const [who, setWho] = useState("");
  const [model, setModel] = useState("");
  const effort = now.members.find((one) => who === "" || one.who === who)?.effort ?? "";
  return (
    <Form
      class="form-grid thirds"
      onSend={() => send("model", who, model).then((isDone) => isDone && setModel(""))}
    >
      <LabelledChoice
        label="For"
        value={who}
        options={[["", "everybody"], ...now.members.map((one) => [one.who, one.who] as const)]}
        onValue={setWho}
      />
      <label>
        Model
        <span class="row">
          <input
            value={model}
            aria-label="Model"
            placeholder={now.members.find((one) => who === "" || one.who === who)?.model ?? "provider/model"}
            list="offered"
            onInput={({ currentTarget }) => setModel(currentTarget.value)}
          />
          <button type="submit" disabled={model.trim() === ""}>
            Use
          </button>
        </span>
      </label>
      <datalist id="offered">
        {now.offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <LabelledChoice
        label="Effort"
        value={effort}
        options={[["", "as the settings say"], ...EFFORTS]}
        onValue={(value) => void send("effort", who, value)}
      />
    </Form>
  );
}

function Anew({ who, onYes }: { who: string; onYes: () => void }) {
  const [asks, setAsks] = useState(false);
  if (!asks)
    return (
      <Button class="link" aria-label={`New conversation for ${who}`} onClick={() => setAsks(true)}>
        New conversation
      </Button>
    );
  return (
    <span class="confirm">
      <Button
        class="link bad"
        onClick={() => {
          setAsks(false);
          onYes();
        }}
      >
        Forget the old one
      </Button>
      <Button class="link" onClick={() => setAsks(false)}>
        Keep
      </Button>
    </span>
  );
}
