/** The part of its owner's conversation in which a task was worked on. */
import { useEffect } from "preact/hooks";
import type { Task } from "../../../../core/picture/task.ts";
import { app } from "../app.ts";
import { useConversation } from "../live/conversation.ts";
import { Empty, Link } from "../parts/parts.tsx";
import { Lines } from "../views/conversation.tsx";

/** `from` and `to`: of the last try. */
type Props = { readonly task: Task; readonly from: number; readonly to: number | null };

export function TaskWords({ task: { owner }, from, to }: Props) {
  const who = owner ?? "";
  const { lines, error, isLoading, hasEarlier, subagentsBefore, readEarlier } = useConversation(who);
  const [first] = lines;
  const needsEarlier = hasEarlier && first !== undefined && from < first.at;
  useEffect(() => {
    if (needsEarlier) void readEarlier();
  }, [needsEarlier, lines]);
  const until = Math.min(to ?? Number.POSITIVE_INFINITY, app.replay?.time ?? Number.POSITIVE_INFINITY);
  const own = lines.filter(({ at }) => from <= at && at <= until);
  if (error) return <Empty title="Its conversation cannot be read">{error}</Empty>;
  if (own.length === 0)
    return <Empty title={isLoading || needsEarlier ? "Loading" : `${who} has not said anything on it yet`} />;
  return (
    <>
      <p>
        <Link to={{ view: "conversation", item: who, task: null }}>The whole conversation of {who}</Link>
      </p>
      <Lines key={who} who={who} lines={own} subagentsBefore={subagentsBefore} onEarlier={null} />
    </>
  );
}
