/** The change of one task, with the comments of a review. */
import { useMemo } from "preact/hooks";
import type { Task } from "../../../../core/picture/task.ts";
import { filesIn } from "../../../../core/text/diff.ts";
import type { ShownChange } from "../../wire.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { Empty } from "../parts/parts.tsx";
import { Finish, openFirst } from "../review/changes.tsx";
import { ReviewFile } from "../review/file.tsx";

export function TaskChange({ task: { id, status, landing, owner } }: { task: Task }) {
  const turns = app.live.members.get(owner ?? "")?.turns ?? 0;
  const { data, error } = useAnswer<ShownChange>(`change/${id}`, `${status} ${landing?.is} ${turns}`);
  const files = useMemo(() => filesIn(data?.diff ?? ""), [data?.diff]);
  const open = useMemo(() => openFirst(files), [files]);
  if (error) return <Empty title="Its change cannot be read">{error}</Empty>;
  if (!data) return <Empty title="Loading" />;
  if (files.length === 0)
    return <Empty title="No change yet">The files that its members change are shown here as a diff.</Empty>;
  return (
    <div class="task-change">
      <p class="dim">It is {data.where}.</p>
      {files.map((file) => (
        <ReviewFile
          key={file.path}
          team={app.route.team}
          file={file}
          isOpenFirst={open.has(file.path)}
          tasks={null}
        />
      ))}
      {data.cut && <p class="dim">The rest is too long for here: git diff shows it.</p>}
      <Finish files={files} />
    </div>
  );
}
