/** One file of the outcome's change: code with colours, marks on the words that differ, and comments of a person on a line or a range, also of removed lines. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { PatchFile, PatchLine } from "../../../../core/text/diff.ts";
import { spellHidden } from "../../../../core/text/hidden.ts";
import type { ReviewComment } from "../../../../core/views/outcome.ts";
import { app } from "../app.ts";
import { Button, Check, Form } from "../parts/fields.tsx";
import { comment, commentsOf, markOf, setViewed, viewedFiles } from "./comments.ts";
import { type Piece, piecesOf } from "./pieces.ts";

/** A longer file is opened by hand. */
export const OPEN_MAX = 400;
const SHOWN = 2_000;
const EXCERPT_MAX = 1_500;
const CLASSES = { "+": "plus", "-": "minus", "@": "at", " ": "" } as const;

type Props = { team: string; file: PatchFile; tasks: ComponentChildren; isOpenFirst: boolean };
/** Rows of the diff, both included. */
type Range = { readonly from: number; readonly to: number };

export const idOf = (path: string): string => `file-${encodeURIComponent(path)}`;

export function ReviewFile({ team, file, tasks, isOpenFirst }: Props) {
  const { path, kind, added, removed, lines } = file;
  const mark = useMemo(() => markOf(file), [file]);
  const isViewed = viewedFiles()[path] === mark;
  const [isOpen, setOpen] = useState(isOpenFirst && !isViewed);
  const said = commentsOf(team).filter((one) => one.path === path);
  return (
    <section class="review-file" id={idOf(path)} aria-label={path}>
      <header>
        <Button
          class="quiet review-toggle"
          aria-expanded={isOpen}
          disabled={lines.length === 0}
          onClick={() => setOpen(!isOpen)}
        >
          <code>{spellHidden(path)}</code>
        </Button>
        {kind && <span class="tag">{kind}</span>}
        <span class="good">+{added}</span>
        <span class="bad">−{removed}</span>
        {said.length > 0 && (
          <span class="tag busy">{said.length === 1 ? "1 comment" : `${said.length} comments`}</span>
        )}
        {tasks}
        <span class="grow" />
        <Check
          value={isViewed}
          onValue={(is) => {
            setViewed(path, is ? mark : null);
            setOpen(!is);
          }}
        >
          Viewed<span class="unseen"> {path}</span>
        </Check>
      </header>
      {isOpen && <Lines team={team} file={file} said={said} />}
    </section>
  );
}

function Lines({ team, file, said }: { team: string; file: PatchFile; said: readonly ReviewComment[] }) {
  const { path, lines } = file;
  const [shown, setShown] = useState(SHOWN);
  const [asked, setAsked] = useState<Range | null>(null);
  const pieces = useMemo(() => piecesOf(file), [file]);
  const texts = new Map(said.map((one) => [rowOf(lines, one), one]));
  const ask = (row: number, isRange: boolean): void => {
    if (isRange && asked && isOneHunk(lines, asked.from, row))
      setAsked({ from: Math.min(asked.from, row), to: Math.max(asked.from, row) });
    else setAsked(asked?.to === row && asked.from === row ? null : { from: row, to: row });
  };
  return (
    <div class="diff">
      <div class="diff-lines">
        {lines.slice(0, shown).map((line, i) => (
          <>
            <Line
              key={i}
              line={line}
              pieces={pieces[i] ?? []}
              isAsked={asked !== null && asked.from <= i && i <= asked.to}
              onAsk={(isRange) => ask(i, isRange)}
            />
            {asked?.to === i ? (
              <Words
                key={`words ${i}`}
                text={texts.get(i)?.text ?? ""}
                about={whereOf(path, lines, asked)}
                onText={(text) => {
                  comment(team, { ...commentOn(path, lines, asked), text });
                  setAsked(null);
                }}
                onClose={() => setAsked(null)}
              />
            ) : (
              texts.has(i) && <p class="line-comment">{texts.get(i)?.text}</p>
            )}
          </>
        ))}
      </div>
      {lines.length > shown && (
        <Button class="link" onClick={() => setShown(shown + SHOWN)}>
          Show {lines.length - shown} more lines
        </Button>
      )}
    </div>
  );
}

type LineProps = {
  line: PatchLine;
  pieces: readonly Piece[];
  isAsked: boolean;
  onAsk: (isRange: boolean) => void;
};

function Line({ line: { sign, number }, pieces, isAsked, onAsk }: LineProps) {
  return (
    <div class={`line ${CLASSES[sign]}${isAsked ? " chosen" : ""}`}>
      {app.mayAct && number !== null ? (
        <button
          type="button"
          class="number"
          aria-label={`Comment on ${sign === "-" ? "removed " : ""}line ${number}`}
          title="Comment on this line; with Shift up to it"
          aria-expanded={isAsked}
          onClick={({ shiftKey }) => onAsk(shiftKey)}
        >
          {number}
        </button>
      ) : (
        <span class="number">{number}</span>
      )}
      <span class="sign" aria-hidden="true">
        {sign === "@" ? "" : sign}
      </span>
      <span class="text">
        {pieces.map(({ kind, text, isMarked }, i) => {
          const shown = kind === "" ? text : <span class={`code-${kind}`}>{text}</span>;
          return isMarked ? <mark key={i}>{shown}</mark> : shown;
        })}
      </span>
    </div>
  );
}

const isOneHunk = (lines: readonly PatchLine[], a: number, b: number): boolean =>
  lines.slice(Math.min(a, b), Math.max(a, b) + 1).every(({ number }) => number !== null);

/** The row below which a comment stands; -1 where the file has changed since. */
const rowOf = (lines: readonly PatchLine[], { line, until, removed }: ReviewComment): number =>
  lines.findIndex(({ number, sign }) => number === (until ?? line) && (sign === "-") === (removed === true));

/** On the lines of the side on which the range ends. */
function commentOn(
  path: string,
  lines: readonly PatchLine[],
  { from, to }: Range,
): Omit<ReviewComment, "text"> {
  const rows = lines.slice(from, to + 1);
  const removed = rows.at(-1)?.sign === "-";
  const side = rows.filter(({ sign }) => (sign === "-") === removed);
  const [line, until] = [side[0]?.number ?? 0, side.at(-1)?.number ?? 0];
  const isPlain = rows.length === 1 && !removed;
  const excerpt = rows.map(({ sign, text }) => (isPlain ? text : `${sign}${text}`)).join("\n");
  return {
    ...{ path, line, excerpt: excerpt.slice(0, EXCERPT_MAX) },
    ...(until !== line && { until }),
    ...(removed && { removed }),
  };
}

function whereOf(path: string, lines: readonly PatchLine[], range: Range): string {
  const { line, until, removed } = commentOn(path, lines, range);
  return `${path}, ${removed ? "removed " : ""}${until === undefined ? `line ${line}` : `lines ${line} to ${until}`}`;
}

type WordsProps = { text: string; about: string; onText: (text: string) => void; onClose: () => void };

function Words({ text, about, onText, onClose }: WordsProps) {
  const [words, setWords] = useState(text);
  return (
    <Form class="line-comment" onSend={() => onText(words)}>
      <textarea
        aria-label={`Comment on ${about}`}
        placeholder="What should change?"
        rows={2}
        value={words}
        ref={(at) => at?.focus()}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onText(words);
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onClose();
        }}
      />
      <div class="row">
        <button type="submit">{words.trim() === "" && text !== "" ? "Remove" : "Add to the review"}</button>
        <Button class="link" onClick={onClose}>
          Close
        </Button>
      </div>
    </Form>
  );
}
