/** `ekiden log`: the journal, and with --follow what happens from now on, in whatever process. */
import { badInput } from "../../../core/errors.ts";
import type { Event } from "../../../core/event.ts";
import { name, quote } from "../../../core/ids.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import { concerns } from "../../../core/views/search.ts";
import { withTeam } from "../../../project/open.ts";
import {
  type Detailed,
  detailedSentence,
  follow,
  lastEvents,
  withDetails,
} from "../../../team/queries/journal.ts";
import { mustExist } from "../../../team/queries/team.ts";
import { followUntilInterrupted, type Invocation, wholeNumber } from "../../kit/invocation.ts";
import { feedLine } from "../../kit/print.ts";
import type { Run } from "../entry.ts";

const TAIL_LINES = 10;

type Options = { follow?: boolean; lines?: string; since?: string; who?: string };

export const run: Run<Options> = async (call, _args, options) => {
  const since = Number(options.since ?? 0);
  if (!Number.isSafeInteger(since) || since < 0)
    throw badInput(`--since ${quote(options.since)} is not the number of a journal line, such as 120.`);
  const who = options.who === undefined ? null : name(options.who);
  // As `tail -f`. A program that follows reads the whole journal.
  const isTail = options.follow === true && options.since === undefined && !call.json;
  const count = options.lines === undefined ? (isTail ? TAIL_LINES : null) : wholeNumber("-n", options.lines);
  const wanted = (event: Event): boolean => who === null || concerns(event, who);
  return withTeam(call, "look", async (store) => {
    let shown = 0;
    const write = async (events: readonly Event[]): Promise<void> => {
      const lines = (await withDetails(store, events.filter(wanted))).map((event) => line(call, event));
      shown += lines.length;
      if (lines.length > 0) call.out.write(lines.join(""));
    };
    let from = store.journal.from(since);
    const tail = async (): Promise<void> => {
      if (count === null) return;
      const last = await lastEvents(store.journal, from, count, wanted);
      await write(last.events);
      from = last.cursor;
    };
    if (options.follow)
      return await followUntilInterrupted(call, async (signal) => {
        await tail();
        for await (const events of follow(store, from, signal)) await write(events);
      });
    await tail();
    if (count === null) for await (const { events } of store.journal.pages(from)) await write(events);
    if (shown > 0) return undefined;
    if (who !== null) await mustExist(store, who);
    if (!call.json) call.say("nothing to show");
    return undefined;
  });
};

const line = (call: Invocation, event: Detailed): string =>
  call.json
    ? jsonLine(event)
    : `${feedLine(call.out, { at: event.at, ...detailedSentence(event) }, 12).join("\n")}\n`;
