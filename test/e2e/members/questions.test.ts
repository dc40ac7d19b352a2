/** A question about an edit shows what will change, in every face; an edit that cannot succeed is not asked about. */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { name, PERSON } from "../../../src/core/ids.ts";
import { questionViews } from "../../../src/core/views/request.ts";
import { questionText } from "../../../src/faces/kit/question-text.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { requests } from "../../../src/team/queries/requests.ts";
import { programTeam, resultsIn } from "../../fixtures/program-team.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });

async function asked(...says: ReturnType<typeof call>[]) {
  const team = await programTeam({
    settings: { permissionsTo: "person" },
    says: {
      lead: [{ times: "any", text: "fine" }],
      alice: [...says, call("complete_task", { result: "ok" }), { text: "Done." }],
    },
  });
  await writeFile(join(team.folder, "a.txt"), "one\ntwo\nthree\n");
  await team.store.board.add({ subject: "Paint" }, PERSON);
  await team.host.start({ goal: "Go" });
  return team;
}

it("shows the difference of an edit", async () => {
  const team = await asked(
    call("edit_file", { path: "a.txt", old: "not there", new: "x" }),
    call("edit_file", { path: "a.txt", old: "two", new: "2\u202e" }),
    call("write_file", { path: "new.txt", content: "fresh\n" }),
    call("complete_task", { result: "painted" }), // held back once: it was asked to run something
  );
  await team.until("permission.asked", { tool: "edit_file" });
  const [first] = (await requests(team.store)).requests;
  expect(first?.diff).toBe("--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\u202e\n three");
  expect(JSON.stringify(questionViews(await requests(team.store)))).toContain("+2\\\\u{202e}");
  await answer(team.store, first?.id ?? "", "yes");
  await team.until("permission.asked", { tool: "write_file" });
  const [second] = (await requests(team.store)).requests;
  expect(second?.diff).toBe("--- /dev/null\n+++ new.txt\n@@ -0,0 +1,1 @@\n+fresh");
  await answer(team.store, second?.id ?? "", "yes");
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(readFileSync(join(team.folder, "a.txt"), "utf8")).toBe("one\n2\u202e\nthree\n");
  expect(resultsIn(team.requests("alice").at(-1))[0]).toContain("`old` is not in a.txt");
  expect(await team.events("permission.asked")).toHaveLength(2);
});

it("offers no rule for a file that decides what runs later: each text of it is asked about", async () => {
  const team = await asked(call("write_file", { path: ".envrc", content: "x\n" }));
  await team.until("permission.asked", { tool: "write_file" });
  const [one] = (await requests(team.store)).requests;
  expect(one).toMatchObject({ text: "write_file: .envrc", diff: expect.stringContaining("+x") });
  expect(one?.rule).toBeUndefined();
  await expect(answer(team.store, one?.id ?? "", "always")).rejects.toThrow("no rule");
  await answer(team.store, one?.id ?? "", "no");
  expect(await team.host.done).toMatchObject({ completed: 1 });
});

it("a call that is interrupted while it is asked about was not run, and its member is told so", async () => {
  const team = await asked(call("write_file", { path: "new.txt", content: "x\n" }));
  await team.until("permission.asked", { tool: "write_file" });
  await team.store.mail.send(PERSON, {
    to: name("alice"),
    body: { kind: "note", text: "leave the file" },
    urgent: true,
  });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(resultsIn(team.requests("alice").at(-1))[0]).toBe(
    "write_file: Interrupted by an urgent message before it began. It was not run.",
  );
  expect(existsSync(join(team.folder, "new.txt"))).toBe(false);
});

it("says on the terminal what a rule would allow", () => {
  const asked = {
    kind: "permission",
    tool: "write_file",
    subject: "a",
    why: "r",
    diff: "+a\u202eb",
  } as const;
  const textFor = (rule: string) => questionText({ by: name("alice"), ask: { ...asked, rule } });
  const text = textFor("write_file(a)");
  expect(text).toContain("+a\\u{202e}b");
  expect(text).toContain(
    "[a]lways (write_file(a): whatever is written into this file; another rule may follow)",
  );
  expect(textFor("mcp__x__y")).toContain("every call of it");
  expect(textFor("bash(ls)")).toContain("exactly this");
});
