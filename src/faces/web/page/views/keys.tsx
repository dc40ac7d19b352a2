/** The keys of model providers: given once by the owner of the page, kept on the machine that serves it, never shown again. */
import { useEffect, useState } from "preact/hooks";
import type { ProviderKeys } from "../../wire.ts";
import { app } from "../app.ts";
import { Button, Form, LabelledChoice, Refusal } from "../fields.tsx";

function useKeys(): { readonly keys: ProviderKeys | null; readonly read: () => void } {
  const [keys, setKeys] = useState<ProviderKeys | null>(null);
  const { team } = app.route;
  const read = (): void => {
    app.source.get<ProviderKeys>(`${team}/keys`).then(setKeys, () => setKeys(null));
  };
  useEffect(() => {
    if (app.mayAct) read();
  }, [team]);
  return { keys, read };
}

/** `onKept` gets the answer of the provider. `otherwise`: advice without this form, for a person who may not give a key here. */
export function KeyForm({ onKept, otherwise }: { onKept: (said: string) => void; otherwise: string }) {
  const { keys } = useKeys();
  const [provider, setProvider] = useState("anthropic");
  const [key, setKey] = useState("");
  const [refusal, setRefusal] = useState("");
  const [isAsking, setAsking] = useState(false);
  if (!keys?.mayKeep) return <p>{otherwise}</p>;
  const keep = async (): Promise<void> => {
    if (isAsking) return;
    setAsking(true);
    const done = await app.source.change(app.route.team, "keys", { provider, key });
    setAsking(false);
    setRefusal(done.ok ? "" : done.text);
    if (!done.ok) return;
    setKey("");
    onKept(done.text);
  };
  return (
    <>
      <div class="key-form">
        <LabelledChoice
          label="Provider"
          value={provider}
          options={keys.providers.map(({ name }) => name)}
          onValue={setProvider}
        />
        <label>
          Key
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            placeholder={keys.providers.find(({ name }) => name === provider)?.variable}
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
            onKeyDown={(event) => {
              // The form around it would start the team.
              if (event.key !== "Enter") return;
              event.preventDefault();
              if (key.trim() !== "") void keep();
            }}
          />
        </label>
        <Button disabled={key.trim() === "" || isAsking} onClick={() => void keep()}>
          {isAsking ? `Asking ${provider} …` : "Keep the key"}
        </Button>
      </div>
      <p class="dim">
        {provider} is asked for one word with it first. It is kept on the machine of this page, in a file that
        only you can read, for the terminal too, and not shown again.
      </p>
      <Refusal text={refusal} />
    </>
  );
}

/** Those that there are, to be forgotten; and another one. */
export function Keys({ onChange }: { onChange: (said: string) => void }) {
  const { keys, read } = useKeys();
  if (!keys?.mayKeep) return null;
  const changed = (said: string): void => {
    read();
    onChange(said);
  };
  const has = keys.providers.filter((one) => one.has !== "");
  return (
    <details class="schedule">
      <summary>Keys of providers{has.length > 0 && ` (${has.length})`}</summary>
      <ul class="steered">
        {has.map(({ name, variable, has: where }) => (
          <li key={name} class="row">
            <b>{name}</b>
            <span class="grow dim">{where === "kept" ? "kept for you" : `from ${variable}`}</span>
            {where === "kept" && (
              <Button
                class="link"
                aria-label={`Forget the key of ${name}`}
                onClick={async () => {
                  const done = await app.source.change(app.route.team, "keys", { provider: name, key: null });
                  changed(done.text);
                }}
              >
                Forget
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Form class="form" onSend={() => {}}>
        <KeyForm onKept={changed} otherwise="" />
      </Form>
    </details>
  );
}
