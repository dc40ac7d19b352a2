/** Ctrl-K: everything by its name. Views, tasks, members, teams, actions; and the way into a search of all words. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { app } from "./app.ts";
import { Dialog, openDialog } from "./parts/dialog.tsx";
import { inSearchField } from "./parts/search-field.ts";
import { type Choice, found } from "./pure/find-choice.ts";

export function Palette({ views }: { views: readonly Choice[] }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  // Before the next key: keys that a person types at once must not be lost.
  useLayoutEffect(() => field.current?.focus(), []);
  const choices = useMemo(() => choicesOf(views), []);
  const list = useMemo(() => {
    const wanted = text.trim();
    const inJournal: Choice[] =
      wanted === ""
        ? []
        : [{ kind: "search", text: `“${wanted}” in the journal`, run: () => search(wanted) }];
    return [...found(choices, wanted), ...inJournal];
  }, [choices, text]);
  const run = (choice: Choice | undefined): void => {
    if (!choice) return;
    openDialog("none");
    choice.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt((at + by + list.length) % Math.max(1, list.length));
    else if (event.key === "Enter") run(list[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to">
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-label="Task, member, view or words"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={list.length > 0 ? `palette-${at}` : undefined}
          placeholder="A task, a member, a view, or words"
          value={text}
          onKeyDown={onKey}
          ref={field}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setAt(0);
          }}
        />
        <Found list={list} at={at} run={run} />
      </div>
    </Dialog>
  );
}

type FoundProps = {
  readonly list: readonly Choice[];
  readonly at: number;
  readonly run: (choice: Choice) => void;
};

function Found({ list, at, run }: FoundProps) {
  return (
    <div id="palette-list" role="listbox" aria-label="Found" tabIndex={-1}>
      {list.map((choice, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        <div
          key={`${choice.kind} ${choice.text}`}
          id={`palette-${i}`}
          class="found"
          role="option"
          aria-selected={i === at}
          tabIndex={-1}
          onClick={() => run(choice)}
        >
          <span class="clip">{choice.text}</span>
          <span class="dim">{choice.kind}</span>
        </div>
      ))}
    </div>
  );
}

function choicesOf(views: readonly Choice[]): Choice[] {
  const { model, overview, route } = app;
  const tasks = [...model.tasks.values()].reverse();
  return [
    ...views,
    ...[...model.members.values()].map(
      ({ name, role }): Choice => ({
        kind: "member",
        text: name,
        more: role,
        run: () => app.go({ view: "conversation", item: name, task: null }),
      }),
    ),
    ...(overview?.teams ?? [])
      .filter(({ name }) => name !== route.team)
      .map(
        ({ name }): Choice => ({
          kind: "team",
          text: name,
          run: () => app.go({ team: name, item: "", task: null }),
        }),
      ),
    ...tasks.map(
      ({ id, subject, owner, status }): Choice => ({
        kind: status.replace("_", " "),
        text: `#${id} ${subject}`,
        more: owner ?? "",
        run: () => app.go({ task: id }),
      }),
    ),
  ];
}

/** The journal has its own field, which a person continues in. */
function search(words: string): void {
  app.go({ view: "journal", item: "", task: null });
  inSearchField((field) => {
    field.value = words;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
}
