/** Views on the whole screen: the review of a change, and the choice of a model. */
import { execFileSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";

const READY = "Type what you want";
const MODEL = ["--model", "anthropic/claude-sonnet-5-5"];

it.each(sampled([60, 80, 120, 200], 4))(
  "reviews a change at %s columns: comments on lines, sent at once",
  async (columns) => {
    const place = project();
    place.write({ "a.txt": "one\ntwo\nthree\n" });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@e", ...args], { cwd: place.dir });
    git("init", "-q");
    git("add", "a.txt");
    git("commit", "-qm", "first");
    const server = await startModelServer({
      anthropic: ({ messages }) => {
        const last = messages.at(-1);
        return last && textOf(last).includes("change it")
          ? calls("edit_file", { path: "a.txt", old: "two", new: "zwei" })
          : says("Done.");
      },
    });
    onTestFinished(() => server.close());
    const terminal = await place.open([...MODEL, "--permission-mode", "accept-edits"], {
      columns,
      rows: 24,
      env: server.env,
    });
    await terminal.shows(READY.slice(0, 20));
    terminal.type("/review\r");
    await terminal.shows(/Nothing has changed|nothing to compare/);
    terminal.type("change it\r");
    await terminal.shows("Done.");
    terminal.type("/review\r");
    const screen = await terminal.shows(/review · 1 file \+1 −1 +0 comments · \d+\/\d+/);
    expect(screen).toMatch(/a\.txt\n +@@ -1,3 \+1,3 @@\n› {5}1 +one\n {6}2 -two\n {6}2 \+zwei\n {6}3 +three/);
    expect(screen.replaceAll(/\s+/g, " ")).toContain("s send all · ←→ sideways · esc closes");
    expect(screen.split("\n").every((line) => [...line].length <= columns)).toBe(true);
    terminal.type("s");
    await terminal.shows("there are no comments");
    terminal.type("jj\rnot in German, pleaxe\x7f\x7fse\r");
    await terminal.shows(/2 \+zwei\n +✎ not in German, please/);
    await terminal.shows("1 comment ·");
    terminal.type("\x1b");
    await terminal.shows("esc again throws");
    terminal.type("ss");
    await terminal.shows(/1 comment became #1/);
    const { stdout } = await place.run(["tasks", "1"]);
    expect(stdout).toMatch(/a\.txt:2\s+> \+zwei\s+not in German, please/);
  },
);

it("chooses a model from a list, and leaves it with Esc", async () => {
  const server = await startModelServer({ anthropic: () => says("Done.") });
  onTestFinished(() => server.close());
  const terminal = await project().open(MODEL, { columns: 100, rows: 24, env: server.env });
  await terminal.shows(READY);
  terminal.type("/model\r");
  await terminal.shows(/the model of all members[\s\S]*› ✓ anthropic\/claude-sonnet-5-5 +lead/);
  terminal.type("no-such");
  await terminal.shows("nothing fits the filter");
  terminal.type("\r\x1b");
  await terminal.shows(READY);
});
