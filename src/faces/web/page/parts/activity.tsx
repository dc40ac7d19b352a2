/** The well of a member at work: what runs, since when, and the last lines of what it prints or says. */
import type { PictureMember as Member } from "../../../../core/picture/member.ts";
import type { LiveOutput } from "../../../../core/text/live-output.ts";
import type { Doing } from "../../wire.ts";
import { app } from "../app.ts";
import { Elapsed } from "./clock.tsx";
import { lastLines } from "./text.tsx";

/** The command or call that runs with its output, else a background command, else the last call. */
type Props = { readonly member: Member; readonly doing: Doing | undefined; readonly lines: number };

export function Activity({ member, doing, lines }: Props) {
  if (member.phase === "shutdown") return null;
  const printing = app.replay ? undefined : app.output.findLast((one) => one.who === member.name);
  if (!doing && !printing) return <pre class="activity dim">{member.lastCall}</pre>;
  const { head, since, rest } = printing
    ? { head: headOf(printing), since: printing.since, rest: printing.text }
    : lastOf(doing as Doing, member);
  return (
    <pre class="activity">
      <span class="doing">
        <span class={`clip ${since ? "busy" : ""}`}>{head.split("\n")[0]}</span>
        {since !== undefined && (
          <span class="dim">
            <Elapsed since={since} />
          </span>
        )}
      </span>
      <span class="dim">{lastLines(rest, lines)}</span>
    </pre>
  );
}

const headOf = ({ kind, command }: LiveOutput): string =>
  kind === "command" ? `bash ${command}` : kind === "text" ? "writes" : "thinks";

function lastOf({ call, jobs, said, output }: Doing, { hosted, machine, since }: Member) {
  const elsewhere = machine && `runs on ${machine}: its output is there`;
  const [job] = jobs;
  // A call that waited for its permission has run only since then.
  const running = Math.max(call?.at ?? 0, since);
  if (call && hosted) return { head: `${call.tool} ${call.text}`, since: running, rest: elsewhere || said };
  if (call) return { head: said, rest: `was cut off: ${call.tool} ${call.text.split("\n")[0]}` };
  if (job) return { head: `j${job.id} ${job.command}`, since: job.at, rest: elsewhere || output };
  return { head: said, rest: output };
}
