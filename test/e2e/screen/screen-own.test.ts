/** The person's own file for the full screen: keys, theme, and what is wrong in it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { project } from "../../fixtures/project.ts";
import type { InTerminal } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";
import type { Project } from "../cli-program.ts";

const READY = "Type what you want";
const fileOf = (place: Project): string => join(place.home, ".config/ekiden/terminal.json");

async function open(
  content: string | object,
  columns = 100,
): Promise<{ place: Project; terminal: InTerminal }> {
  const place = project();
  mkdirSync(dirname(fileOf(place)), { recursive: true });
  writeFileSync(fileOf(place), typeof content === "string" ? content : JSON.stringify(content));
  const terminal = await place.open(["--model", "runbook"], { columns, rows: 24 });
  await terminal.shows(READY);
  return { place, terminal };
}

it("has the keys of the file", async () => {
  const { terminal } = await open({
    keys: { members: "ctrl+p", panels: "f12", mode: [] },
  });
  await terminal.shows(/^ f12 panels · ctrl\+n members · \? help/m);
  terminal.type("\x10");
  await terminal.shows(/─ members .*esc closes · f12 next/);
  terminal.type("/keys\r");
  await terminal.shows(/ctrl\+p +members +opens or closes the panel members/);
});

it("hides thoughts or shows them whole, and leaves the story on the normal screen", async () => {
  const { place, terminal } = await open({ thoughts: "shown", scrollback: true });
  terminal.type("/thoughts folded\r");
  await terminal.shows("thoughts are folded");
  terminal.type("/thoughts sometimes\r");
  await terminal.shows('thoughts are hidden, folded, shown, not "sometimes"');
  terminal.type("!echo stays behind\r");
  await terminal.shows(/^ +stays behind$/m);
  terminal.type("/quit\r");
  expect(await terminal.ended).toBe(0);
  const { output } = terminal;
  const after = stripVTControlCharacters(output.slice(output.lastIndexOf("\x1b[?1049l")));
  expect(after).toMatch(/Type what you want[\s\S]*! echo stays behind[\s\S]*stays behind/);
  const kept = readFileSync(join(place.home, ".config", "ekiden", "terminal.json"), "utf8");
  expect(JSON.parse(kept)).toEqual({ thoughts: "folded", scrollback: true });
});

it("says what is wrong in the file, and continues with the rest", async () => {
  const { terminal } = await open({
    theme: "purple",
    vim: true,
    keys: { panel: "f9", mail: "ctrl+p" },
    colour: 1,
    statusLine: "date",
  });
  await terminal.shows(/there is no "colour"/);
  // The name of the file stands before it, so that it may wrap anywhere.
  const themes = "theme must be one of terminal, auto, dark, light, colour-blind, not";
  await terminal.shows(new RegExp(`${themes} "purple"`.replaceAll(" ", "\\s+")));
  await terminal.shows(/take "vim" out of the file: the screen has\s+no vim keys any more\. Ctrl-G/);
  await terminal.shows(/there is no action "panel"/);
  terminal.type("\x10");
  await terminal.shows("─ mail");
  await terminal.shows(/take "statusLine" out/);
  const { terminal: other } = await open('{ "theme": ');
  await other.shows(/terminal\.json: it is not used: /);
  other.type("/theme dark\r");
  await other.shows(/it applies until you leave/);
});

it("changes the colours, keeps the choice, and asks the terminal for its background", async () => {
  const { place, terminal } = await open({ scrollback: false });
  terminal.type("/theme\r");
  await terminal.shows(/the colours of the screen[\s\S]*✓ terminal/);
  terminal.type("blind\r");
  await terminal.shows("theme colour-blind: blue and orange");
  expect(JSON.parse(readFileSync(fileOf(place), "utf8"))).toEqual({
    scrollback: false,
    theme: "colour-blind",
  });
  await soon(() => expect(terminal.output).toContain("\x1b[38;5;244m"));
  terminal.type("/theme purple\r");
  await terminal.shows('there is no theme "purple"');
  terminal.type("/theme auto\r");
  await soon(() => expect(terminal.output).toContain("\x1b]11;?\x07"));
  terminal.type("\x1b]11;rgb:ffff/ffff/e0e0\x1b\\");
  await soon(() => expect(terminal.output).toContain("\x1b[38;5;242m"));
  terminal.type("typed");
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("typed"));
});
