/** Takes back what the members of a task changed in files: first as a diff, then for good; and puts it back. */
import { useState } from "preact/hooks";
import type { Preview } from "../../../../team/actions/undo/undo.ts";
import { app } from "../app.ts";
import { ForkButton } from "../forks/fork-dialog.tsx";
import { useAnswer } from "../live/facts.ts";
import { Button, Check } from "../parts/fields.tsx";
import { Patch } from "../parts/text.tsx";

/** `changes`: grows with the history, so that a preview is of now. */
export function UndoTask({ id, changes }: { id: number; changes: number }) {
  const [isOpen, setOpen] = useState(false);
  const [acts, setActs] = useState(0);
  const [cuts, setCuts] = useState(false);
  const { data, error } = useAnswer<Preview>(isOpen ? `undo/${id}` : null, `${changes} ${acts}`);
  const act = async (how: "undo" | "redo"): Promise<void> => {
    await app.act(how === "undo" ? { do: "undo", id, conversation: cuts } : { do: "redo" });
    setActs(acts + 1);
  };
  const { data: found = null, text = "" } = data?.undo ?? {};
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
        <ForkButton at={`#${id}`} words={`before the last attempt of #${id}`}>
          Fork before it…
        </ForkButton>
      </div>
      {isOpen && error && <p class="warn">{error}</p>}
      {isOpen && !error && !data && <p class="dim">Reading the changes…</p>}
      {isOpen && data && (
        <>
          <p class={`as-is${found ? "" : " dim"}`}>{text}</p>
          {found && found.diff !== "" && <Patch text={found.diff} />}
          {found && (found.files.length > 0 || found.conflicts.length === 0) && (
            <p class="row">
              <Button class="danger" onClick={() => void act("undo")}>
                Undo #{id}
              </Button>
              <Check
                value={cuts}
                onValue={setCuts}
                title="The members' conversations continue after the calls that are undone"
              >
                Also cut the conversations there
              </Check>
            </p>
          )}
          {data.redo !== null && (
            <p class="row">
              <span class="grow">The last undo of this team can be taken back: it {data.redo}</span>
              <Button onClick={() => void act("redo")}>Put back</Button>
            </p>
          )}
        </>
      )}
    </div>
  );
}
