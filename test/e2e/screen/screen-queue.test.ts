/** Messages that wait until their member reads them: marked in every terminal, taken back by a key, gone from all. */
import { expect, it } from "vitest";
import { soon } from "../../fixtures/soon.ts";
import { waitingTeam } from "../../fixtures/waiting-team.ts";

const UP = "\x1b[A";

it("takes a queued message back into the editor, from the terminal that sent it and from another", async () => {
  const { place, terminal, again } = await waitingTeam({ gone: "Done.", better: "Better, thanks." });
  // Enter sends what is typed whole, also while the menu offers it.
  terminal.type("/to bob");
  await terminal.shows("→ bob");
  terminal.type("\r");
  await terminal.shows("what you type goes to bob");
  terminal.type("look at the loggs\r");
  await terminal.shows(/→ bob: look at the loggs\n +queued: .*; up takes it back/);
  const other = await again();
  await other.shows("Type what you want");
  other.type("/to bob\r");
  await other.shows(/→ bob: look at the loggs\n +queued/);

  terminal.type(UP);
  await terminal.shows("taken back: nobody has read it");
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("look at the loggs"));
  expect(terminal.screen()).not.toContain("→ bob: look");
  await soon(() => expect(other.screen()).not.toContain("look at the loggs"));

  // A line that Ctrl-C has taken away comes before a message that waits.
  terminal.type("\x15something better\r");
  await other.shows(/→ bob: something better\n +queued/);
  terminal.type("a draft");
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("a draft"));
  terminal.type("\x03");
  await terminal.shows("up brings the line back");
  terminal.type(UP);
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("a draft"));
  expect(other.screen()).toMatch(/→ bob: something better\n +queued/);

  // Up brings earlier lines where nothing waits.
  terminal.type("\x15");
  await other.shows(/→ bob: something better\n +queued/);
  other.type(UP);
  await other.shows("taken back");
  await soon(() => expect(terminal.screen()).not.toContain("→ bob: something better"));
  terminal.type(`${UP}${UP}`); // behind the draft
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("something better"));
  other.type("\r");
  await terminal.shows(/→ bob: something better\n +queued/);
  place.write({ go: "" });
  await terminal.shows("Better, thanks.");
  await soon(() => expect(terminal.screen()).not.toContain("queued:"));
  const { stdout } = await place.run(["log"]);
  expect(stdout).not.toContain("loggs");
  expect(stdout).toMatch(/person +took back the unread note to bob/);
});
