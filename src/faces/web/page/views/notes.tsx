/** The notes of the team, below its members: what each of them reads with its next task. */
import { useEffect, useState } from "preact/hooks";
import { NOTE_KINDS } from "../../../../core/plan/facts.ts";
import type { NotesData } from "../../../../core/plan/note-views.ts";
import { NOTE_MAX, type Note, showNote } from "../../../../core/plan/notes.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { Button, Choice, Form, Refusal, TextField } from "../parts/fields.tsx";
import { TaskLink, Time } from "../parts/parts.tsx";

export function TeamNotes() {
  const [changes, setChanges] = useState(0);
  useEffect(
    () =>
      app.tap((events) => events.some(({ type }) => type.startsWith("note.")) && setChanges((n) => n + 1)),
    [],
  );
  const { data } = useAnswer<NotesData>("notes", changes);
  const notes = (data?.notes ?? []).filter(({ at }) => !app.replay || at <= app.replay.time).toReversed();
  if (notes.length === 0 && !app.mayAct) return null;
  return (
    <details class="team-notes" open={notes.length > 0}>
      <summary>Notes for all members{notes.length > 0 && ` (${notes.length})`}</summary>
      <ul>
        {notes.map((note) => (
          <NoteRow key={note.id} note={note} />
        ))}
      </ul>
      {app.mayAct && <NewNote />}
    </details>
  );
}

function NoteRow({ note: { id, at, by, kind, text, task, files } }: { note: Note }) {
  const [words, setWords] = useState<string | null>(null);
  const change = async (now: string): Promise<void> => {
    if (await app.act({ do: "renote", id, text: now })) setWords(null);
  };
  return (
    <li>
      <p class="row">
        <span class={kind === "trap" ? "tag warn" : "tag"}>{kind}</span>
        <span>{by}</span>
        {task !== null && <TaskLink id={task} />}
        {files.map((file) => (
          <code key={file}>{file}</code>
        ))}
        <span class="grow" />
        <Time at={at} />
        {app.mayAct && (
          <>
            <Button
              class="link"
              aria-label={`Edit ${showNote(id)}`}
              onClick={() => setWords(words === null ? text : null)}
            >
              {words === null ? "Edit" : "Keep"}
            </Button>
            <Button class="link" aria-label={`Remove ${showNote(id)}`} onClick={() => void change("")}>
              Remove
            </Button>
          </>
        )}
      </p>
      {words === null ? (
        <p class="as-is">{text}</p>
      ) : (
        <Form class="row" onSend={() => change(words)}>
          <TextField
            aria-label="Words of the note"
            class="grow"
            value={words}
            maxLength={NOTE_MAX}
            required
            onValue={setWords}
          />
          <button type="submit">Save</button>
        </Form>
      )}
    </li>
  );
}

function NewNote() {
  const [text, setText] = useState("");
  const [kind, setKind] = useState<string>(NOTE_KINDS[0]);
  const [refusal, setRefusal] = useState("");
  const add = async (): Promise<void> => {
    const done = await app.send({ do: "note", text, kind: kind as Note["kind"] });
    setRefusal(done.ok ? "" : done.text);
    if (done.ok) setText("");
  };
  return (
    <Form class="row" onSend={add}>
      <Choice label="Kind of the note" value={kind} options={NOTE_KINDS} onValue={setKind} />
      <TextField
        aria-label="A note for all members"
        placeholder="Money is kept in cents"
        class="grow"
        value={text}
        maxLength={NOTE_MAX}
        required
        onValue={setText}
      />
      <button type="submit">Add</button>
      <Refusal text={refusal} />
    </Form>
  );
}
