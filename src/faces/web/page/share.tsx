/** Links to this team for other people: made, listed and ended by the owner of the page. */
import { useEffect, useState } from "preact/hooks";
import { ROLES, type ShareLink } from "../wire.ts";
import { app } from "./app.ts";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Button, Form, LabelledChoice, Refusal, TextField } from "./fields.tsx";
import { teamTitle } from "./parts.tsx";
import { hrefOf } from "./route.ts";

const ROLE_WORDS: Readonly<Record<ShareLink["role"], string>> = {
  viewer: "look",
  answerer: "look, and answer questions",
  operator: "do all, also run commands",
};
const ENDS = [
  ["1", "in an hour"],
  ["24", "in a day"],
  ["168", "in a week"],
  ["720", "in 30 days"],
] as const;

export function Share() {
  const [links, setLinks] = useState<readonly ShareLink[]>([]);
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>("viewer");
  const [hours, setHours] = useState("24");
  const [made, setMade] = useState<{ readonly name: string; readonly address: string } | null>(null);
  const [refusal, setRefusal] = useState("");
  const { team } = app.route;
  const read = (): void => {
    app.source.get<ShareLink[]>(`${team}/links`).then(setLinks, (fault: Error) => setRefusal(fault.message));
  };
  useEffect(read, [team]);
  const change = async (what: object, then: (text: string) => void): Promise<void> => {
    const done = await app.source.change(team, "links", what);
    setRefusal(done.ok ? "" : done.text);
    if (done.ok) then(done.text);
    read();
  };
  const make = (): void => {
    void change({ name, role, hours: Number(hours) }, (token) => {
      const path = hrefOf({ team, view: "board", item: "", task: null, at: null });
      setMade({ name: name.trim(), address: `${location.origin}${path}#token=${token}` });
      setName("");
    });
  };
  return (
    <Dialog title={`Share ${teamTitle(app.project, app.teamName)}`}>
      <Form class="form" onSend={make}>
        <p class="dim">A link shows this team alone. The journal names its person with all that they do.</p>
        <TextField label="Name" placeholder="Ann" value={name} maxLength={40} onValue={setName} autoFocus />
        <div class="form-grid halves">
          <LabelledChoice
            label="May"
            value={role}
            options={ROLES.map((one) => [one, ROLE_WORDS[one]] as const)}
            onValue={setRole}
          />
          <LabelledChoice label="Ends" value={hours} options={ENDS} onValue={setHours} />
        </div>
        <Refusal text={refusal} />
        <div class="row">
          <button type="submit" class="primary" disabled={name.trim() === ""}>
            Make a link
          </button>
        </div>
      </Form>
      {made && (
        <div class="form made">
          <label>
            The link of {made.name}: it is shown only now
            <input readOnly value={made.address} onFocus={({ currentTarget }) => currentTarget.select()} />
          </label>
          <CopyButton text={made.address} of="the link" />
        </div>
      )}
      {links.length > 0 && (
        <ul class="steered" aria-label="Links">
          {links.map((one) => (
            <li key={one.id} class="row">
              <b>{one.name}</b>
              <span class="grow dim">
                may {ROLE_WORDS[one.role]}, until {new Date(one.until).toLocaleString()}
              </span>
              <Button
                class="link"
                aria-label={`End the link of ${one.name}`}
                onClick={() => void change({ end: one.id }, (text) => app.say(text, false))}
              >
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
