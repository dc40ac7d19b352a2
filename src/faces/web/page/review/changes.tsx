/** The whole change of a run as a review: the tree of its files beside their diffs, and below them the comments that wait to be sent. */
import { useMemo, useState } from "preact/hooks";
import { filesIn, type PatchFile } from "../../../../core/text/diff.ts";
import { spellHidden } from "../../../../core/text/hidden.ts";
import type { Outcome } from "../../../../core/views/outcome.ts";
import { counted } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { Button } from "../parts/fields.tsx";
import { Link } from "../parts/parts.tsx";
import { commentsOf, dropComments, markOf, sendComments, viewedFiles } from "./comments.ts";
import { idOf, OPEN_MAX, ReviewFile } from "./file.tsx";

const FILES_SHOWN = 100;
/** So many lines are open at first; a page of more would be slow to scroll. */
const LINES_OPEN = 4_000;

export function Changes({ outcome: { diff, cut, tasks } }: { outcome: Outcome }) {
  const { team } = app.route;
  const [shown, setShown] = useState(FILES_SHOWN);
  const files = useMemo(() => filesIn(diff ?? ""), [diff]);
  const open = useMemo(() => openFirst(files), [files]);
  const count = (key: "added" | "removed"): number => files.reduce((sum, file) => sum + file[key], 0);
  return (
    <section class="changes">
      <header class="row">
        <h3>Changes</h3>
        {files.length > 0 && (
          <span class="dim">
            {counted(files.length, "file")}, <span class="good">+{count("added")}</span>{" "}
            <span class="bad">−{count("removed")}</span>, by anybody since the start
          </span>
        )}
      </header>
      {diff === null && <Written tasks={tasks} />}
      {diff === "" && <p class="dim">No file has changed.</p>}
      {files.length > 0 && (
        <div class="review">
          <Tree files={files} />
          <div class="review-files">
            {files.slice(0, shown).map((file) => (
              <ReviewFile
                key={file.path}
                team={team}
                file={file}
                isOpenFirst={open.has(file.path)}
                tasks={<FileTasks ids={tasks[file.path] ?? []} />}
              />
            ))}
            {files.length > shown && (
              <Button class="link" onClick={() => setShown(shown + 500)}>
                Show {files.length - shown} more files
              </Button>
            )}
            {cut && <p class="dim">The rest is too long for here: git diff shows it.</p>}
          </div>
        </div>
      )}
      <Finish files={files} />
    </section>
  );
}

export function openFirst(files: readonly PatchFile[]): ReadonlySet<string> {
  let left = LINES_OPEN;
  const open = new Set<string>();
  for (const { path, lines } of files) {
    if (lines.length > OPEN_MAX || lines.length > left) continue;
    left -= lines.length;
    open.add(path);
  }
  return open;
}

/** Outside of a repository only the files that tools wrote are known. */
function Written({ tasks }: { tasks: Outcome["tasks"] }) {
  const written = Object.keys(tasks).sort();
  return (
    <>
      <p class="dim">
        The folder is not a git repository, so what was there before is not known.
        {written.length > 0 && " Written by tools:"}
      </p>
      <ul class="written">
        {written.map((path) => (
          <li key={path}>
            <code class="grow">{path}</code>
            <FileTasks ids={tasks[path] ?? []} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** By folder; a file that was read is dim. */
function Tree({ files }: { files: readonly PatchFile[] }) {
  const folders = useMemo(() => {
    const found = new Map<string, { name: string; file: PatchFile; mark: string }[]>();
    for (const file of files) {
      const at = file.path.lastIndexOf("/");
      const folder = file.path.slice(0, Math.max(0, at));
      const list = found.get(folder) ?? [];
      list.push({ name: file.path.slice(at + 1), file, mark: markOf(file) });
      found.set(folder, list);
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  }, [files]);
  const viewed = viewedFiles();
  return (
    <nav class="tree" aria-label="Changed files">
      {folders.map(([folder, list]) => (
        <>
          {folder !== "" && (
            <p key={folder} class="tree-folder clip" title={folder}>
              {spellHidden(folder)}
            </p>
          )}
          <ul key={`in ${folder}`}>
            {list.map(({ name, file: { path, kind, added, removed }, mark }) => (
              <li key={path} class={viewed[path] === mark ? "viewed" : ""}>
                <Button
                  class="quiet"
                  title={path}
                  onClick={() => document.getElementById(idOf(path))?.scrollIntoView({ block: "start" })}
                >
                  <span
                    class="seen-mark"
                    role="img"
                    aria-label={viewed[path] === mark ? "Viewed" : "Not viewed"}
                  >
                    {viewed[path] === mark ? "✓" : ""}
                  </span>
                  <span class={`clip ${kind === "new" ? "good" : kind === "deleted" ? "bad" : ""}`}>
                    {spellHidden(name)}
                  </span>
                  <span class="tree-counts">
                    <span class="good">+{added}</span> <span class="bad">−{removed}</span>
                  </span>
                </Button>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

/** Stays in sight while a review is being written. */
export function Finish({ files }: { files: readonly PatchFile[] }) {
  const { team } = app.route;
  const comments = commentsOf(team);
  const viewed = viewedFiles();
  const read = files.filter((file) => viewed[file.path] === markOf(file)).length;
  if (!app.mayAct || (comments.length === 0 && read === 0)) return null;
  return (
    <footer class="finish row">
      <span class="dim">
        {read} of {counted(files.length, "file")} viewed
      </span>
      <span class="grow" />
      {comments.length > 0 && (
        <>
          <Button class="link" onClick={() => dropComments(team)}>
            Discard
          </Button>
          <Button class="primary" disabled={app.isSending} onClick={() => void sendComments(team)}>
            Finish review ({comments.length})
          </Button>
        </>
      )}
    </footer>
  );
}

const FileTasks = ({ ids }: { ids: readonly number[] }) => (
  <span class="dim">
    {ids.slice(-4).map((id) => (
      <>
        <Link to={{ task: id }} title={app.live.tasks.get(id)?.subject}>
          #{id}
        </Link>{" "}
      </>
    ))}
  </span>
);
