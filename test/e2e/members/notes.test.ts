/** A note of one member reaches the next one with its task, and is told again only when there is something new; with a real store. */
import { expect, it } from "vitest";
import { LEAD, PERSON } from "../../../src/core/ids.ts";
import { notes } from "../../../src/host/features/notes.ts";
import type { Setup } from "../../../src/host/setup.ts";
import type { ToolContext } from "../../../src/ports/index.ts";
import type { Feature } from "../../../src/runtime/agent/agent.ts";
import { addNote, changeNote } from "../../../src/team/actions/notes.ts";
import { notes as notesOf } from "../../../src/team/queries/notes.ts";
import { note } from "../../../src/tools/team/note.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { claimed, held, name, profile, stage } from "../../fixtures/stage.ts";

const here = stage("sqlite");

it("gives notes with a claim, and the person edits and removes them", async () => {
  const { store, seats } = await here.crew(["alice", "bob"]);
  const [alice, bob] = seats as [(typeof seats)[0], (typeof seats)[0]];
  const featureOf = async (who: string, kind: "lead" | "teammate" = "teammate"): Promise<Feature> =>
    (await notes({ parts: { store }, profile: profile(name(who), { kind }) } as unknown as Setup)) as Feature;
  const seen = async (feature: Feature): Promise<string> => {
    await feature.refresh?.();
    return feature.sections?.()[0]?.text ?? "";
  };
  const writes = (input: object): Promise<string> =>
    note.run(note.input().parse(input), {
      ...{ self: alice.name, store, currentTask: () => store.board.mine(alice.name) },
    } as unknown as ToolContext);
  await store.board.addAll([{ subject: "paint" }, { subject: "clean" }, { subject: "sell" }], PERSON);
  await claimed(store, alice);
  const ofBob = await featureOf("bob");
  await writes({ text: "The brush is in the shed.", kind: "trap" });
  await expect(writes({ text: "The brush is in the shed.", kind: "trap" })).rejects.toThrow(
    "is there already",
  );
  // Without a task nothing is told.
  expect(await seen(ofBob)).toBe("");
  const first = await claimed(store, bob);
  const [known] = (await notesOf(store)).notes;
  expect(known).toMatchObject({ by: "alice", kind: "trap", task: 1, files: [] });
  const told = await seen(ofBob);
  expect(told).toContain(`n${known?.id} trap, alice, #1: The brush is in the shed.`);
  await store.board.complete(held(bob, first), "done");
  await addNote(store, PERSON, { text: "Sell in euros.", kind: "decision", task: null, files: [] });
  expect(await seen(ofBob)).toBe(told);
  const second = await claimed(store, bob);
  expect(await seen(ofBob)).toMatch(/n\d+ decision, person: Sell in euros\.\nn\d+ trap, alice/);
  await expect(changeNote(store, bob.name, known?.id ?? 0, "no")).rejects.toThrow("may not decide that");
  await changeNote(store, PERSON, known?.id ?? 0, "The brush is lost.");
  expect(await seen(ofBob)).toContain("The brush is lost.");
  await changeNote(store, LEAD, known?.id ?? 0, "");
  expect(await seen(ofBob)).not.toContain("brush");
  await expect(changeNote(store, PERSON, known?.id ?? 0, "")).rejects.toThrow("There is no note");
  // The lead has them at the beginning of a conversation: a section without a name is not told again.
  const ofLead = await featureOf(LEAD, "lead");
  expect(ofLead.sections?.()).toMatchObject([{ about: "", text: expect.stringContaining("Sell in euros.") }]);
  // Without a process in between: as a restart reads them.
  expect(await seen(await featureOf("bob"))).toContain("Sell in euros.");
  expect(second.id).toBe(3);
});

it("is a tool of members of the program, and a later claim tells what was noted", async () => {
  const note = { tool: "note", input: { text: "The door is oak.", kind: "decision", files: ["door.txt"] } };
  const team = await programTeam({
    says: {
      lead: [{ times: "any", text: "Well." }],
      alice: [
        { calls: [note] },
        { when: "Noted. Each member", calls: [{ tool: "complete_task", input: { result: "done" } }] },
        { text: "One." },
        { when: "door is oak", calls: [{ tool: "complete_task", input: { result: "done" } }] },
        { times: "any", text: "Two." },
      ],
    },
  });
  await team.store.board.addAll([{ subject: "paint" }, { subject: "hang", touches: ["door.txt"] }], PERSON);
  await team.host.start({ goal: "Paint the house" });
  await team.until("task.completed", { task: 2 });
  const told = team.requests("alice").map((request) => JSON.stringify(request.messages));
  expect(told.findIndex((one) => one.includes("<notes>"))).toBe(3);
  expect(told[3]).toContain("decision, alice, #1, door.txt: The door is oak.");
});
