/** One file of the outcome's change, opened on demand; a person comments on its lines. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PatchFile, PatchLine } from "../../../../core/text/diff.ts";
import { spellHidden } from "../../../../core/text/hidden.ts";
import { app } from "../app.ts";
import { Button, Form } from "../parts/fields.tsx";
import { comment, commentsOf } from "./comments.ts";

const SHOWN = 400;
const CLASSES = { "+": "plus", "-": "minus", "@": "at", " ": "" } as const;
const EXCERPT_MAX = 200;

type Props = { team: string; file: PatchFile; tasks: ComponentChildren };

export function ReviewFile({ team, file, tasks }: Props) {
  const { path, kind, added, removed, lines } = file;
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const [at, setAt] = useState<number | null>(null);
  const said = commentsOf(team).filter((one) => one.path === path);
  return (
    <details class="review-file" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <code>{spellHidden(path)}</code>
        {kind && <span class="tag">{kind}</span>}
        <span class="good">+{added}</span>
        <span class="bad">−{removed}</span>
        {said.length > 0 && <span class="tag warn">{said.length}</span>}
      </summary>
      {isOpen && (
        <div class="diff">
          {tasks && <p class="dim">Changed by{tasks}</p>}
          <div class="diff-lines">
            {lines.slice(0, shown).map((line, i) => (
              <Line
                key={i}
                team={team}
                path={path}
                line={line}
                isAsked={at === i}
                onAsk={(isOn) => setAt(isOn ? i : null)}
              />
            ))}
          </div>
          {lines.length > shown && (
            <Button class="link" onClick={() => setShown(shown + 2_000)}>
              Show {lines.length - shown} more lines
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

type LineProps = {
  team: string;
  path: string;
  line: PatchLine;
  isAsked: boolean;
  onAsk: (isOn: boolean) => void;
};

function Line({ team, path, line: { sign, text, number }, isAsked, onAsk }: LineProps) {
  const said = number === null || sign === "-" ? undefined : textAt(team, path, number);
  const mayComment = app.mayAct && number !== null && sign !== "-";
  return (
    <>
      <div class={`line ${CLASSES[sign]}`}>
        {mayComment ? (
          <button
            type="button"
            class="number"
            aria-label={`Comment on line ${number}`}
            aria-expanded={isAsked}
            onClick={() => onAsk(!isAsked)}
          >
            {number}
          </button>
        ) : (
          <span class="number">{number}</span>
        )}
        <span class="sign" aria-hidden="true">
          {sign === "@" ? "" : sign}
        </span>
        <span class="text">{spellHidden(text)}</span>
      </div>
      {mayComment && isAsked && (
        <Words
          text={said ?? ""}
          label={`Comment on ${path}, line ${number}`}
          onText={(words) => {
            comment(team, { path, line: number, excerpt: text.slice(0, EXCERPT_MAX), text: words });
            onAsk(false);
          }}
        />
      )}
      {said && !isAsked && <p class="line-comment">{said}</p>}
    </>
  );
}

const textAt = (team: string, path: string, line: number): string | undefined =>
  commentsOf(team).find((one) => one.path === path && one.line === line)?.text;

function Words({ text, label, onText }: { text: string; label: string; onText: (text: string) => void }) {
  const [words, setWords] = useState(text);
  return (
    <Form class="line-comment" onSend={() => onText(words)}>
      <textarea
        aria-label={label}
        rows={2}
        value={words}
        ref={(at) => at?.focus()}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <div class="row">
        <button type="submit">{words.trim() === "" && text !== "" ? "Remove" : "Keep for the batch"}</button>
      </div>
    </Form>
  );
}
