/** Known secrets are taken out of all that comes into a store, on every database. */
import { describe, expect, it } from "vitest";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { PERSON } from "../../src/core/ids.ts";
import { Secrets } from "../../src/core/text/secrets.ts";
import { BACKENDS, name, stage } from "../fixtures/stage.ts";

const KNOWN = "correct-horse-battery";
const { redact } = new Secrets([{ name: "DEPLOY_TOKEN", value: KNOWN }]);
const text = `use ${KNOWN} here`;
const MARK = "use [secret DEPLOY_TOKEN] here";

describe.each(BACKENDS)("secrets on %s", (backend) => {
  const at = stage(backend);

  it("are in no task, mail, transcript, result, question, cron, job or fact of any author", async () => {
    const { store, seats, lead } = await at.crew(["alice"], { redact });
    const alice = seats[0] as Seat;
    const added = await store.board.add({ subject: text, description: text, touches: [text] }, PERSON);
    expect(added).toMatchObject({ subject: MARK, description: MARK, touches: [MARK] });
    const second = await store.board.add({ subject: "Second" }, lead.name);
    await store.board.change(second.id, { subject: text, description: text }, PERSON);
    const claimed = await store.board.claim(alice, added.id, () => heard(text));
    if (!claimed.ok) throw new Error(claimed.why);
    await store.mail.send(PERSON, { to: alice.name, body: { kind: "note", text } });
    await store.mail.send(alice.name, { to: lead.name, body: { kind: "note", text } });
    await store.mail.deliver(alice, () => [heard(text)]);
    const thinking = { type: "thinking", text, meta: { signature: "s" } } as const;
    const call = { type: "call", id: "1", tool: "bash", input: { command: [text] } } as const;
    await store.transcript.record(alice, [
      { kind: "said", message: { role: "assistant", content: [thinking, { type: "text", text }, call] } },
      { kind: "result", result: { type: "result", id: "1", tool: "bash", text, isError: false } },
      { kind: "summary", text },
    ]);
    const target = { kind: "mail", to: lead.name } as const;
    const times = { expression: "* * * * *", zone: "UTC", once: false, session: null };
    await store.crons.add({ ...times, text, target }, PERSON);
    await store.journal.warn(null, text);
    const { attempt } = claimed.task;
    await store.board.complete({ seat: alice, task: added.id, attempt }, text);
    await store.board.cancel(second.id, PERSON, text);
    const other = await store.forTeam(name(`${store.team}x`));
    await other.board.add({ subject: text }, PERSON);
    await store.sendAcross(other.team, PERSON, { to: name("lead"), body: { kind: "note", text } });
    const stored = JSON.stringify([
      ...[await store.board.tasks(), await other.board.tasks(), await store.crons.list()],
      ...[await store.mail.box(lead.name, 50), await store.mail.box(alice.name, 50)],
      ...[await store.transcript.all(alice.name), await other.mail.box(name("lead"), 50)],
      (await store.journal.read(store.journal.from(0), { limit: 500 })).events,
    ]);
    await other.close();
    expect(stored).not.toContain(KNOWN);
    expect(stored.split(MARK).length).toBeGreaterThan(15);
    expect(stored).not.toContain("signature"); // of a thought that was changed
  });
});
