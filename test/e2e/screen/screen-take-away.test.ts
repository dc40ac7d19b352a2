/** These tests check what one takes out of a conversation: the change, the last answer, a file; and words for a member that is not looked at. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { calls, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";
import { waitingTeam } from "../../fixtures/waiting-team.ts";

it("shows the change, copies the answer, and writes the conversation", async () => {
  const place = project();
  place.write({ "a.txt": "one\n", "b/b.txt": "bee\n" });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@example.org", ...args], {
      cwd: place.dir,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "First", "--date", "2020-01-01T00:00:00Z");
  execFileSync(
    "git",
    ["-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "--amend", "--no-edit"],
    {
      cwd: place.dir,
      env: { ...process.env, GIT_COMMITTER_DATE: "2020-01-01T00:00:00Z" },
    },
  );
  const server = await startModelServer({
    anthropic: ({ messages }) => {
      const last = messages.at(-1);
      return last && textOf(last).includes("edit")
        ? calls("write_file", { path: "new.txt", content: "fresh\n" })
        : says("It is **done**.");
    },
  });
  onTestFinished(() => server.close());
  const options = ["--model", "anthropic/claude-sonnet-5-5", "--permission-mode", "accept-edits"];
  const terminal = await place.open(options, { columns: 100, rows: 40, env: server.env });
  await terminal.shows("The lead alone on");
  terminal.type("/diff\r");
  await terminal.shows("Nothing has changed since the run began.");
  terminal.type("edit\r");
  await terminal.shows("It is done.");
  place.write({ "b/b.txt": "wasp\n" });
  terminal.type("/diff\r");
  await terminal.shows(/^b\/b\.txt\n[\s\S]*-bee\n\+wasp\nnew\.txt\n[\s\S]*\+fresh/m);
  terminal.type("/diff nowhere\r");
  await terminal.shows('"nowhere" has not changed.');
  terminal.type("/copy\r");
  await terminal.shows("the last answer of lead (15 characters) was sent to the clipboard of this terminal");
  expect(terminal.output).toContain(`\x1b]52;c;${Buffer.from("It is **done**.").toString("base64")}\x07`);
  terminal.type("/copy nobody\r");
  await terminal.shows('No member "nobody"');
  terminal.type("/export talk.md\r");
  await terminal.shows("the conversation of lead is in ");
  const file = readFileSync(join(place.dir, "talk.md"), "utf8");
  expect(file).toMatch(/^# lead\n[\s\S]*\nedit\n[\s\S]*\n## lead\n\n\*.*\*\n\nIt is \*\*done\*\*\.\n$/);
  terminal.type("/export talk.md\r");
  await terminal.shows("already exists. Name another file.");
  expect(readFileSync(join(place.dir, "talk.md"), "utf8")).toBe(file);
  terminal.type("/copy nobody\r");
  await terminal.shows(/nobody/);
});

it("sends words to a member that is named, and lists the keys at ?", async () => {
  const { place, terminal } = await waitingTeam({ "the cats": "Nine." });
  terminal.type("?");
  await terminal.shows(/ type +watch +answer/);
  terminal.type("@bo");
  expect(await terminal.shows("→ bob")).not.toMatch(/ type +watch +answer/);
  terminal.type("\tcount the cats\r");
  await terminal.shows("sent to bob");
  place.write({ go: "" });
  terminal.type("/to bob\r");
  await terminal.shows("count the cats");
  await terminal.shows("Nine.");
  terminal.type("@lead @nobody is there?\r");
  await soon(async () =>
    expect((await place.run(["transcript", "lead"])).stdout).toContain("@nobody is there?"),
  );
  expect((await place.run(["transcript", "bob"])).stdout).not.toContain("@bob");
  // The words for one that has stopped are not sent to the lead, and not lost.
  terminal.type("/stop bob\r");
  await terminal.shows("bob: has stopped");
  terminal.type("@bob one more\r");
  await terminal.shows("bob has stopped and reads no more mail");
  await terminal.shows("@bob one more");
});
