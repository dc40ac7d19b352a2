/** The requests that reached the model: none that a provider would refuse, no mail twice, one life a member. */
import { conversationFaults } from "../../fixtures/model-server/check.ts";
import type { History, SeenRequest } from "./history.ts";

type Part = SeenRequest["messages"][number]["content"][number];
const partsOf = ({ messages }: SeenRequest): readonly Part[] =>
  messages.flatMap<Part>(({ content }) => content);

/** Faults that strict providers refuse beside unanswered calls: empty or doubled ids, malformed names, blank or broken text. */
function partFaults(parts: readonly Part[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const part of parts) {
    if (part.type === "text" && part.text.trim() === "") faults.push("a text of blanks");
    if ("text" in part && /\p{Surrogate}/u.test(part.text)) faults.push(`half a character in a ${part.type}`);
    if (part.type !== "call") continue;
    if (!/^[\w-]{1,64}$/.test(part.id)) faults.push(`the call id ${JSON.stringify(part.id)}`);
    if (!/^[\w-]{1,64}$/.test(part.tool)) faults.push(`the tool name ${JSON.stringify(part.tool)}`);
    if (ids.has(part.id)) faults.push(`the call id ${part.id} twice`);
    ids.add(part.id);
  }
  return faults;
}

export const acceptable = ({ requests }: History): string[] =>
  requests.flatMap((request) =>
    [...conversationFaults(request.messages), ...partFaults(partsOf(request))].map(
      (fault) => `request ${request.nth} of ${request.who}: ${fault}`,
    ),
  );

/** Each mail of a request exists, is for its reader, and is there once; mail of one sender and rank is in order. */
export function mailInRequests({ requests, mail }: History): string[] {
  const faults: string[] = [];
  const rows = new Map(mail.map((row) => [row.id, row]));
  for (const request of requests) {
    const where = `request ${request.nth} of ${request.who}`;
    const seen = new Set<number>();
    const last = new Map<string, number>();
    for (const part of partsOf(request)) {
      if (part.type !== "text") continue;
      for (const [, digits] of part.text.matchAll(/<mail id="(\d+)"/g)) {
        const id = Number(digits);
        const row = rows.get(id);
        if (row?.recipient !== request.who)
          faults.push(`${where}: mail ${id} is for ${row?.recipient ?? "nobody"}`);
        if (seen.has(id)) faults.push(`${where}: mail ${id} twice`);
        seen.add(id);
        const key = `${row?.sender} ${row?.turn}`;
        if (id < (last.get(key) ?? 0)) faults.push(`${where}: mail ${id} came after mail ${last.get(key)}`);
        last.set(key, id);
      }
    }
  }
  return faults;
}

/**
 * A conversation only grows. Two lives of one member would send it in two versions, or an older life would continue. One late request is
 * no second life: its process was frozen while it sent it, and records no reply. A life that continues sends the next step, too.
 */
export function oneLife({ requests }: History): string[] {
  const faults: string[] = [];
  const latest = new Map<string, { nth: number; calls: string[] }>();
  /** By member: the numbers of calls in its late requests. */
  const late = new Map<string, Set<number>>();
  for (const request of requests.toSorted((a, b) => a.nth - b.nth)) {
    const { who, nth } = request;
    const calls = callsIn(request);
    const before = latest.get(who);
    const lost = before?.calls.find((id, i) => calls[i] !== id);
    if (before && lost !== undefined && calls.every((id, i) => before.calls[i] === id)) {
      const counts = late.get(who) ?? new Set();
      late.set(who, counts.add(calls.length));
      if (counts.has(calls.length - 1))
        faults.push(`request ${nth} of ${who}: an older life continues, after call ${calls.at(-1)}`);
      continue;
    }
    if (lost !== undefined)
      faults.push(`request ${nth} of ${who}: call ${lost} of request ${before?.nth} is gone`);
    latest.set(who, { nth, calls });
  }
  return faults;
}

export const callsIn = (request: SeenRequest): string[] =>
  partsOf(request).flatMap((part) => (part.type === "call" ? [part.id] : []));
