/** The link with which other people look at this team: made and ended by the owner of the page. */
import { useEffect, useState } from "preact/hooks";
import type { ShareLink } from "../wire.ts";
import { app } from "./app.ts";
import { CopyButton } from "./parts/copy.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Button, Form, LabelledChoice, Refusal } from "./parts/fields.tsx";
import { teamTitle } from "./parts/parts.tsx";
import { hrefOf } from "./route.ts";

const ENDS = [
  ["1", "in an hour"],
  ["24", "in a day"],
  ["168", "in a week"],
  ["720", "in 30 days"],
] as const;

/** The link that works, and its address where it was made just now. */
function useLink() {
  const [link, setLink] = useState<ShareLink | null>(null);
  const [hours, setHours] = useState("24");
  const [address, setAddress] = useState("");
  const [refusal, setRefusal] = useState("");
  const { team } = app.route;
  const read = (): void => {
    app.source
      .get<ShareLink | null>(`${team}/link`)
      .then(setLink, (fault: Error) => setRefusal(fault.message));
  };
  useEffect(read, [team]);
  const change = async (what: object, then: (text: string) => void): Promise<void> => {
    const done = await app.source.changeLink(team, what);
    setRefusal(done.ok ? "" : done.text);
    if (done.ok) then(done.text);
    read();
  };
  const make = (): void => {
    void change({ hours: Number(hours) }, (token) => {
      const path = hrefOf({ team, view: "board", item: "", task: null, at: null });
      setAddress(`${location.origin}${path}#token=${token}`);
    });
  };
  const end = (): void => {
    void change({ end: true }, (text) => {
      setAddress("");
      app.say(text, false);
    });
  };
  return { link, hours, setHours, address, refusal, make, end };
}

export function Share() {
  const { link, hours, setHours, address, refusal, make, end } = useLink();
  return (
    <Dialog title={`Share ${teamTitle(app.project, app.teamName)}`}>
      <Form class="form" onSend={make}>
        <p class="dim">
          Anyone with the link sees this team only: its board, conversations, changes and costs. They cannot
          change anything.
        </p>
        <LabelledChoice label="Ends" value={hours} options={ENDS} onValue={setHours} />
        <Refusal text={refusal} />
        <div class="row">
          <button type="submit" class="primary">
            {link ? "Make a new link, and end the one before" : "Make a link"}
          </button>
        </div>
      </Form>
      {address !== "" && (
        <div class="form made">
          <label>
            The link (it is shown only once)
            <input readOnly value={address} onFocus={({ currentTarget }) => currentTarget.select()} />
          </label>
          <CopyButton text={address} of="the link" />
        </div>
      )}
      {link && (
        <p class="row">
          <span class="grow dim">A link works until {new Date(link.until).toLocaleString()}</span>
          <Button class="link" onClick={end}>
            End the link
          </Button>
        </p>
      )}
    </Dialog>
  );
}
