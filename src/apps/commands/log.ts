/** `ekiden log`: the journal, and with --follow what happens from now on, in whatever process. */
import { EkidenError } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { type Name, name, quote } from "../../core/ids.ts";
import { sentence } from "../../core/views/sentence.ts";
import { allEvents, follow } from "../follow.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";
import { feedLine } from "../terminal/print.ts";
import { mustExist } from "./inbox.ts";

type Options = { follow?: boolean; since?: string; who?: string };

export async function run(
  call: Invocation,
  _args: readonly string[],
  options: Options,
): Promise<number | undefined> {
  const since = Number(options.since ?? 0);
  if (!Number.isSafeInteger(since) || since < 0)
    throw new EkidenError(
      "bad_input",
      `--since ${quote(options.since)} is not the number of a journal line, such as 120.`,
    );
  const who = options.who === undefined ? null : name(options.who);
  return withTeam(call, "look", async (store) => {
    const from = store.journal.from(since);
    let shown = 0;
    const write = (events: readonly Event[]): void => {
      const wanted = events.filter((event) => who === null || concerns(event, who));
      shown += wanted.length;
      if (wanted.length > 0) call.out.write(wanted.map((event) => line(call, event)).join(""));
    };
    if (!options.follow) {
      for await (const events of allEvents(store.journal, from)) write(events);
      if (shown > 0) return undefined;
      if (who !== null) await mustExist(store, who);
      if (!call.json) call.say("nothing to show");
      return undefined;
    }
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once("SIGINT", end).once("SIGTERM", end);
    try {
      for await (const events of follow(store, from, stop.signal)) write(events);
    } finally {
      process.off("SIGINT", end).off("SIGTERM", end);
    }
    return 130;
  });
}

export const line = (call: Invocation, event: Event): string =>
  call.json
    ? `${JSON.stringify(event)}\n`
    : `${feedLine(call.out, { at: event.at, ...sentence(event) }, 12).join("\n")}\n`;

/** Whether the fact is about the member, or is its doing. */
export const concerns = (event: Event, who: Name): boolean =>
  (["who", "by", "from", "to"] as const).some(
    (key) => (event as Partial<Record<typeof key, unknown>>)[key] === who,
  );
