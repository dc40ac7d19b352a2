/** A new team as this one was at a point of its journal: the form for it, and then what continues with it. */
import { useState } from "preact/hooks";
import type { Overview } from "../../wire.ts";
import { app } from "../app.ts";
import type { ForkPlace } from "../dialogs.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Dialog, openDialog } from "../parts/dialog.tsx";
import { Button, Form, Refusal, TextField } from "../parts/fields.tsx";
import { Link } from "../parts/parts.tsx";

/** Also in a replay; not in a recording, nor for one who only looks. */
const mayFork = (): boolean => app.source.recording === null && app.overview?.readOnly === false;

export const ForkButton = ({ children = "Fork here…", ...place }: ForkPlace & { children?: string }) =>
  mayFork() ? (
    <Button
      aria-haspopup="dialog"
      title="A new team continues from here in another way; this one stays as it is"
      onClick={() => openDialog({ fork: place })}
    >
      {children}
    </Button>
  ) : null;

export function ForkDialog({ at, words }: ForkPlace) {
  const [name, setName] = useState("");
  const [refusal, setRefusal] = useState("");
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<{ readonly team: string; readonly text: string } | null>(null);
  const make = async (): Promise<void> => {
    setMaking(true);
    const done = await app.send({ do: "fork", at, name: name.trim() });
    setMaking(false);
    setRefusal(done.ok ? "" : done.text);
    if (!done.ok || done.team === undefined) return;
    setMade({ team: done.team, text: done.text });
    // The list of teams has one more.
    app.overview = await app.source.get<Overview>("teams").catch(() => app.overview);
    app.draw();
  };
  if (made) return <Made {...made} />;
  return (
    <Dialog title="Fork this team">
      <Form class="form" onSend={make}>
        <p>
          A new team, as {app.teamName} was {words}: its board, its members with their conversations, its mail
          and its files in a folder of its own. {app.teamName} stays as it is.
        </p>
        <TextField
          label="Name"
          placeholder="chosen for you"
          maxLength={32}
          value={name}
          onValue={setName}
          autoFocus
        />
        <Refusal text={refusal} />
        <div class="row">
          <button type="submit" class="primary" disabled={isMaking}>
            {isMaking ? "Making it…" : "Make the fork"}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}

function Made({ team, text }: { team: string; text: string }) {
  const { route } = app;
  const original = route.team;
  const command = `ekiden --team ${team} resume`;
  const elsewhere = original.startsWith("~");
  return (
    <Dialog title={`Team ${team}`}>
      <div class="form">
        <p class="as-is">{text.replace(/\n[^\n]*$/, "")}</p>
        <p>In the folder of the project, this continues with it; --model takes another model:</p>
        <p class="row">
          <code class="grow">{command}</code>
          <CopyButton text={command} of="the command" />
        </p>
        {!elsewhere && (
          <p class="row">
            <Link class="button primary" to={{ team, view: "board", item: "", task: null, at: null }}>
              Its board
            </Link>
            {app.overview?.mayStart && (
              <Link class="button" to={{ team, view: "run", item: "", task: null, at: null }}>
                Continue here
              </Link>
            )}
            <Link class="button" to={{ view: "compare", item: team, task: null, at: null }}>
              Compare
            </Link>
          </p>
        )}
      </div>
    </Dialog>
  );
}
