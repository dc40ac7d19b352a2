/** Takes back what the members of a task changed in files: first as a diff, then for good; and puts it back. */
import { useState } from "preact/hooks";
import type { UndoneData } from "../../../../core/undo/views.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { Button } from "../parts/fields.tsx";
import { Patch } from "../parts/text.tsx";

type Preview = { readonly data: UndoneData; readonly text: string };

/** `changes`: grows with the history, so that a preview is of now. */
export function UndoTask({ id, changes }: { id: number; changes: number }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useAnswer<Preview>(isOpen ? `undo/${id}` : null, changes);
  const act = async (how: "undo" | "redo"): Promise<void> => {
    if (await app.act(how === "undo" ? { do: "undo", id } : { do: "redo" })) setOpen(false);
  };
  return (
    <div>
      <div class="row">
        <Button
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          title="Files only, with what you changed since"
        >
          Undo its changes…
        </Button>
        <Button onClick={() => void act("redo")} title="What the last undo of this team took">
          Put back
        </Button>
      </div>
      {isOpen && error && <p class="warn">{error}</p>}
      {isOpen && !error && !data && <p class="dim">The changes are read…</p>}
      {isOpen && data && (
        <>
          <p class="as-is">{data.text}</p>
          {data.data.diff !== "" && <Patch text={data.data.diff} />}
          {data.data.files.length > 0 && (
            <Button class="danger" onClick={() => void act("undo")}>
              Undo #{id}
            </Button>
          )}
        </>
      )}
    </div>
  );
}
