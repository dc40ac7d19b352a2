/** Mailboxes and transcripts on every database. */
import { beforeEach, describe, expect, it } from "vitest";
import { databaseClass } from "../../src/adapters/store/databases/sqlite-file.ts";
import { MAIL_MAX, MAILBOX_MAX, type Mail, words } from "../../src/core/board/mail.ts";
import type { Seat } from "../../src/core/board/member.ts";
import { heard } from "../../src/core/conversation/chat.ts";
import { instant, type Name } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, connect, facts, host, name, profile, stage } from "../fixtures/stage.ts";

/** Writes that many unread letters past the store: twenty thousand transactions would take a minute. */
async function fill(url: string, team: Name, to: Name, count: number): Promise<void> {
  const columns = "team, sender, recipient, at, urgent, kind, wakes, turn, body";
  const values = `'${team}', 'bob', '${to}', 1, 0, 'note', 1, 2, '{"kind":"note","text":"x"}'`;
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const insert = `insert into mail (${columns}) ${numbers} select ${values} from n`;
  if (url.startsWith("sqlite:")) {
    const Database = await databaseClass();
    const db = new Database(url.replace("sqlite:", ""), {});
    db.exec(insert);
    db.close();
    return;
  }
  const [address = "", schema = ""] = url.split("?schema=");
  const client = await connect(address);
  await client.query(`set search_path = "${schema}"`);
  await client.query(insert);
  await client.end();
}

describe.each(BACKENDS)("mail on %s", (backend) => {
  const at = stage(backend);
  const [lead, alice, bob, person] = [name("lead"), name("alice"), name("bob"), name("person")];
  let store: Store;
  let seat: Seat;
  beforeEach(async () => {
    const crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    seat = crew.seats[0] as Seat;
  });
  const note = (text: string) => ({ kind: "note", text }) as const;
  const texts = (mails: readonly Mail[]): string[] =>
    mails.map(({ body }) => ("text" in body ? body.text : body.kind));

  it("is delivered once, in the step that writes it into the conversation", async () => {
    const id = await store.mail.send(lead, { to: alice, body: note("hello ✓ \u{1F600}\nline 2\0end") });
    expect(await store.mail.mail(id)).toMatchObject({ from: "lead", to: "alice", deliveredAt: null });
    const got = await store.mail.deliver(seat, (mails) =>
      mails.map((mail) => heard(`${mail.from}: ${texts([mail])[0]}`)),
    );
    expect(got).toHaveLength(1);
    expect(await store.mail.mail(id)).toMatchObject({ deliveredAt: at.clock.now() });
    expect(await store.transcript.current(alice)).toMatchObject([
      { kind: "heard", text: expect.stringContaining("lead: hello ✓ \u{1F600}\nline 2") },
    ]);
    expect(await store.mail.deliver(seat, () => [heard("again")])).toEqual([]);
    expect(await store.transcript.current(alice)).toHaveLength(1);
    expect(await facts(store, { types: ["mail.sent", "mail.delivered"] })).toEqual([
      "mail.sent",
      "mail.delivered",
    ]);
  });

  it("is taken back by its sender, as long as nobody has read it", async () => {
    const id = await store.mail.send(person, { to: alice, body: note("first") });
    const kept = await store.mail.send(person, { to: alice, body: note("second") });
    expect(await store.mail.withdraw(bob, id)).toBeNull();
    expect(await store.mail.withdraw(person, id)).toMatchObject({ id, to: "alice", body: note("first") });
    expect(await store.mail.withdraw(person, id)).toBeNull();
    expect(await store.mail.mail(id)).toBeNull();
    expect(texts(await store.mail.deliver(seat, (some) => some.map(() => heard("x"))))).toEqual(["second"]);
    expect(await store.mail.withdraw(person, kept)).toBeNull();
    expect(await facts(store, { types: ["mail.sent", "mail.withdrawn", "mail.delivered"] })).toEqual([
      ...["mail.sent", "mail.sent", "mail.withdrawn", "mail.delivered"],
    ]);
    // Mail of the program itself is part of its protocol.
    const idle = { kind: "idle_notice", reason: "awaiting_tasks", completed: [] } as const;
    const notice = await store.mail.send(alice, { to: lead, body: idle });
    expect(await store.mail.withdraw(alice, notice)).toBeNull();
  });

  it("is read or taken back, never both, when both come at once", async () => {
    for (let i = 0; i < 20; i += 1) {
      const id = await store.mail.send(person, { to: alice, body: note(`${i}`) });
      const [read, back] = await Promise.all([
        store.mail.deliver(seat, (some) => some.map((mail) => heard(String(mail.id)))),
        store.mail.withdraw(person, id),
      ]);
      expect([read.length, back === null ? 0 : 1].toSorted()).toEqual([0, 1]);
    }
  });

  it("stays unread if the operation that would use it fails", async () => {
    await store.mail.send(lead, { to: alice, body: note("keep me") });
    const broken = store.mail.deliver(seat, () => {
      throw new Error("crash between read and use");
    });
    await expect(broken).rejects.toThrow("crash between");
    expect(texts(await store.mail.unread(alice))).toEqual(["keep me"]);
    await expect(store.mail.deliver({ ...seat, host: host("other") }, () => [])).rejects.toMatchObject({
      code: "stale_seat",
    });
    expect(await store.mail.deliver(seat, () => [heard("x")])).toHaveLength(1);
  });

  it("stop requests come before everything, urgent mail before the rest", async () => {
    for (let i = 0; i < 150; i += 1) await store.mail.send(bob, { to: alice, body: note(`${i}`) });
    await store.mail.send(bob, { to: alice, body: note("urgent"), urgent: true });
    await store.requests.ask(
      lead,
      alice,
      { kind: "shutdown", reason: "enough" },
      instant(at.clock.now() + 1000),
    );
    expect(texts(await store.mail.waking(alice, 3))).toEqual(["shutdown_request", "urgent", "0"]);
    expect(texts(await store.mail.unread(alice, 3))).toEqual(["shutdown_request", "urgent", "0"]);
    const got = await store.mail.deliver(seat, () => [heard("x")], 4);
    expect(texts(got)).toEqual(["shutdown_request", "urgent", "0", "1"]);
    expect(got[1]).toMatchObject({ urgent: true });
    expect(await store.mail.unread(alice, 1000)).toHaveLength(148);
  });

  it("tells with the mail that is taken how much is left, and by member what nobody has read", async () => {
    await fill(at.url, at.team, alice, 10_000);
    await store.mail.send(bob, { to: alice, body: note("the newest") });
    await store.mail.send(alice, { to: name("person"), body: note("for the person") });
    const left: unknown[] = [];
    const take = (limit: number): Promise<unknown> =>
      store.mail.deliver(
        seat,
        (_, rest) => {
          left.push(rest && [rest.to, rest.count, words(rest.newest.body)]);
          return [heard("x")];
        },
        limit,
      );
    await take(100);
    expect(left).toEqual([["alice", 9_901, "the newest"]]);
    expect(await store.mail.unreadNotes()).toMatchObject([
      { to: "alice", count: 9_901, newest: { from: "bob" } },
    ]);
    await take(9_901);
    await store.mail.send(bob, { to: alice, body: note("one more") });
    await take(100);
    expect(left.slice(1)).toEqual([null, null]);
    expect(await store.mail.unreadNotes()).toEqual([]);
  });

  it("a mailbox has a bound, which one letter more exceeds; the harness is never refused", async () => {
    await fill(at.url, at.team, alice, MAILBOX_MAX - 1);
    await store.mail.send(bob, { to: alice, body: note("the last") });
    await expect(store.mail.send(bob, { to: alice, body: note("x") })).rejects.toMatchObject({
      code: "mailbox_full",
      message: expect.stringContaining(`alice holds ${MAILBOX_MAX} unread`),
    });
    const begins = [{ type: "run.began", turns: 0, usd: 0 }] as const;
    await expect(
      store.mail.send(bob, { to: alice, body: note("x") }, undefined, begins),
    ).rejects.toMatchObject({ code: "mailbox_full" });
    expect(await facts(store, { types: ["run.began"] })).toEqual([]);
    // A broadcast reaches all or none.
    await expect(store.mail.broadcast(lead, { kind: "broadcast", text: "x" })).rejects.toMatchObject({
      code: "mailbox_full",
    });
    expect(await store.mail.unread(bob)).toEqual([]);
    await store.requests.ask(lead, alice, { kind: "shutdown", reason: "x" }, instant(at.clock.now() + 1000));
    expect(await store.mail.take(alice, 2)).toHaveLength(2);
    await store.mail.send(bob, { to: alice, body: note("room again") });
  });

  it("unknown, stopped and mistyped recipients are refused, with who exists", async () => {
    const to = (who: string) => store.mail.send(lead, { to: name(who), body: note("x") });
    await expect(to("carol")).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("lead, person, alice, bob"),
    });
    await store.roster.leave(seat, "asked", "bye");
    await expect(to("alice")).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("alice has stopped"),
    });
    await expect(to("person")).resolves.toBeTypeOf("number");
    await expect(store.mail.send(lead, { to: bob, body: note(" ") })).rejects.toMatchObject({
      code: "bad_input",
    });
    await expect(
      store.mail.send(lead, { to: bob, body: note("x".repeat(MAIL_MAX + 1)) }),
    ).rejects.toMatchObject({ code: "bad_input" });
    await expect(
      store.mail.send(lead, { to: bob, body: JSON.parse('{ "kind": "gossip", "text": "x" }') }),
    ).rejects.toMatchObject({ code: "bad_input" });
  });

  it("the lead and the person can be written to before they come", async () => {
    const other = await store.forTeam(name(`${at.team}-b`));
    await other.mail.send(person, { to: lead, body: note("do it") });
    await other.roster.open(host("here"), "m", 1);
    await other.roster.join(profile("lead", { kind: "lead", prompt: "and this" }), host("here"), person);
    expect(texts(await other.mail.unread(lead))).toEqual(["do it", "and this"]);
    expect(await store.mail.unread(lead)).toEqual([]);
    await other.close();
  });

  it("a broadcast reaches every living member but the sender", async () => {
    expect(await store.mail.broadcast(lead, { kind: "broadcast", text: "all" })).toEqual(["alice", "bob"]);
    await store.roster.leave(seat, "asked", "");
    expect(await store.mail.broadcast(bob, { kind: "broadcast", text: "rest" })).toEqual(["lead"]);
    expect(texts(await store.mail.unread(bob))).toEqual(["all"]);
  });

  it("finds waking mail, however many reports are before it", async () => {
    const report = { kind: "result", task: null, inHand: false, text: "done" } as const;
    const { id } = await store.board.add({ subject: "one" }, person);
    for (let i = 0; i < 120; i += 1) await store.mail.send(bob, { to: alice, body: { ...report, task: id } });
    expect(await store.mail.waking(alice)).toEqual([]);
    await store.mail.send(lead, { to: alice, body: note("look up") });
    expect(texts(await store.mail.waking(alice, 1))).toEqual(["look up"]);
    expect(texts(await store.mail.unread(alice, 1))).toEqual(["done"]);
  });

  it("looking does not consume; taking does", async () => {
    for (const text of ["1", "2", "3"]) await store.mail.send(alice, { to: person, body: note(text) });
    expect(texts(await store.mail.box(person, 2))).toEqual(["2", "3"]);
    expect(texts(await store.mail.unread(person, 2))).toEqual(["1", "2"]);
    expect(texts(await store.mail.take(person, 2))).toEqual(["1", "2"]);
    expect(texts(await store.mail.take(person))).toEqual(["3"]);
    expect(await store.mail.take(person)).toEqual([]);
    expect(texts(await store.mail.box(person))).toEqual(["1", "2", "3"]);
    expect(texts(await store.mail.box(person, 2, alice))).toEqual(["2", "3"]);
    expect(await store.mail.box(person, 2, bob)).toEqual([]);
  });

  it("the answer to a call is written in the step that sends", async () => {
    const id = await store.mail.send(
      alice,
      { to: bob, body: note("x") },
      { seat, make: (ids) => heard(`sent ${ids}`) },
    );
    expect(await store.transcript.current(alice)).toEqual([heard(`sent ${id}`)]);
    await expect(
      store.mail.send(alice, { to: name("nobody-here"), body: note("x") }, { seat, make: () => heard("no") }),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(await store.transcript.current(alice)).toHaveLength(1);
  });

  it("a conversation begins at its last summary, and all of it stays readable", async () => {
    await store.transcript.record(seat, [heard("old"), { kind: "summary", text: "sum 1" }, heard("b")]);
    await store.transcript.record(seat, [{ kind: "summary", text: "sum 2" }, heard("new")], {
      facts: [{ type: "warning.raised", who: alice, text: "w" }],
      spent: { turns: 1, inputTokens: 10, cachedTokens: 5, outputTokens: 2, usd: 0.25 },
      mail: [{ to: lead, body: note("by the way") }],
    });
    await store.transcript.record(seat, [heard("sub")], { subagent: name("alice/1") });
    expect(await store.transcript.current(alice)).toEqual([{ kind: "summary", text: "sum 2" }, heard("new")]);
    expect(await store.transcript.current(name("alice/1"))).toEqual([heard("sub")]);
    const all = await store.transcript.all(alice, 0, 3);
    expect(all.map(({ entry }) => entry.kind)).toEqual(["heard", "summary", "heard"]);
    const rest = await store.transcript.all(alice, all[2]?.seq);
    expect(rest).toHaveLength(2);
    expect(await store.transcript.last(alice, 2)).toEqual(rest);
    expect(await store.transcript.last(alice, 2, rest[0]?.seq)).toEqual(all.slice(1));
    expect(await store.transcript.last(alice, 9, all[0]?.seq)).toEqual([]);
    expect(await store.roster.member(alice)).toMatchObject({
      turns: 1,
      inputTokens: 10,
      cachedTokens: 5,
      outputTokens: 2,
      usd: 0.25,
    });
    expect(texts(await store.mail.unread(lead))).toEqual(["by the way"]);
    expect(await facts(store, { types: ["warning.raised"] })).toHaveLength(1);
    await expect(store.transcript.record({ ...seat, host: host("x") }, [heard("no")])).rejects.toMatchObject({
      code: "stale_seat",
    });
  });

  it("four concurrent senders lose and double nothing and keep their order", async () => {
    const per = 1_000;
    const got: string[] = [];
    const send = async (from: number): Promise<void> => {
      for (let i = 0; i < per; i += 1)
        await store.mail.send(name(`s${from}`), { to: alice, body: note(`${from} ${i}`) });
    };
    let sending = true;
    const all = Promise.all([0, 1, 2, 3].map(send)).then(() => (sending = false));
    for (;;) {
      const over = !sending;
      const mails = await store.mail.deliver(seat, (some) => some.map((mail) => heard(String(mail.id))), 50);
      got.push(...texts(mails));
      if (over && mails.length === 0) break;
      if (mails.length === 0)
        await store.wake.changed(store.wake.mark(), ["mail:alice"], 1, AbortSignal.timeout(5));
    }
    await all;
    expect(new Set(got).size).toBe(4 * per);
    for (const from of [0, 1, 2, 3]) {
      const order = got.filter((text) => text.startsWith(`${from} `));
      expect(order).toEqual(Array.from({ length: per }, (_, i) => `${from} ${i}`));
    }
    expect(await store.transcript.all(alice, 0, 10_000)).toHaveLength(4 * per);
  });
});
