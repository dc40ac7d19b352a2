/** Beside typing: search in the story, the person's own editor, the clipboard. */
import { chmodSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";

const SIZE = { columns: 100, rows: 24 };
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const READY = "Type what you want";

/** A program in a folder of its own. */
function program(folder: string, name: string, script: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

it("finds words in the story, older and newer ones, and marks the line", async () => {
  const lines = Array.from({ length: 120 }, (_, i) => (i % 50 === 7 ? `Needle ${i}` : `straw ${i}`));
  const server = await startModelServer({ anthropic: () => says(lines.join("\n\n")) });
  onTestFinished(() => server.close());
  const terminal = await project().open(["--model", "anthropic/claude-sonnet-5-5"], {
    ...SIZE,
    env: server.env,
  });
  await terminal.shows(READY);
  terminal.type("go\r");
  await terminal.shows("straw 119");
  terminal.type("\x06");
  await terminal.shows("find: ▏ enter older");
  terminal.type("needle");
  await terminal.shows(/Needle 107\n[\s\S]*find: needle▏/);
  terminal.type("\r");
  await terminal.shows("Needle 57");
  expect(terminal.screen()).not.toContain("Needle 107");
  expect(terminal.output).toContain("\x1b[7m  Needle 107");
  terminal.type("\r\r\r");
  await terminal.shows("Needle 7");
  terminal.type("\x1b[B");
  await terminal.shows("Needle 57");
  terminal.type("x");
  await terminal.shows("nothing has: needlex▏");
  terminal.type("\x1b");
  await soon(() => expect(terminal.screen()).not.toContain("needlex"));
  terminal.type("/find straw 33\r");
  await terminal.shows(/ straw 33\n[\s\S]*find: straw 33▏/);
});

it("opens what is typed in the person's editor, and survives one that fails", async () => {
  const place = project();
  const seen = join(place.home, "seen");
  const good = program(
    place.home,
    "good",
    `cat "$1" > ${seen}; stat -c ' %a' "$1" >> ${seen}; printf 'one\\ntwo\\n' > "$1"`,
  );
  const killed = program(place.home, "killed", 'echo lost > "$1"; kill -9 $$');
  const gone = program(place.home, "gone", 'rm "$1"');
  const open = async (editor: string) => {
    const terminal = await place.open(["--model", "runbook"], { ...SIZE, env: { VISUAL: editor } });
    await terminal.shows(READY);
    terminal.type("a draft");
    await terminal.shows("a draft");
    terminal.type("\x07");
    return terminal;
  };
  const terminal = await open(good);
  await terminal.shows(/^one\ntwo$/m);
  expect(readFileSync(seen, "utf8")).toBe("a draft 600\n");
  terminal.type("\x03");
  await terminal.shows("up brings the line back");
  terminal.type("/quit\r");
  expect(await terminal.ended).toBe(0);
  for (const [editor, words] of [
    [killed, "your line is as it was: killed was ended by SIGKILL"],
    [gone, "your line is as it was: gone left no file"],
    [join(place.home, "none"), "your line is as it was: none was not found: set VISUAL or EDITOR"],
  ] as const) {
    const one = await open(editor);
    await one.shows(words);
    expect(one.grid.lines().at(-3)).toBe("a draft");
    one.type("\x03/quit\r");
    expect(await one.ended).toBe(0);
  }
});

it("pastes an image of the clipboard as a file, a text as text, and nothing of what is neither", async () => {
  const place = project();
  writeFileSync(join(place.home, "shot.png"), PNG);
  program(
    place.home,
    "xclip",
    `case "$*" in *image/png*) [ -e ${place.home}/has-image ] && cat ${place.home}/shot.png || exit 1 ;; *) cat ${place.home}/clip ;; esac`,
  );
  writeFileSync(join(place.home, "has-image"), "");
  writeFileSync(join(place.home, "clip"), "");
  const server = await startModelServer({
    anthropic: ({ messages }) => says(`Heard: ${textOf(messages.at(-1) ?? { role: "user", content: [] })}`),
  });
  onTestFinished(() => server.close());
  const path = `${join(place.home, "bin")}:${process.env.PATH}`;
  const env = { ...server.env, PATH: path, DISPLAY: ":99", WAYLAND_DISPLAY: "" };
  const terminal = await place.open(["--model", "anthropic/claude-sonnet-5-5"], { ...SIZE, env });
  await terminal.shows(READY);
  terminal.type("look \x16");
  await terminal.shows(/look @\/\S+clipboard-1\.png/);
  terminal.type("\r");
  await terminal.shows(/\[image clipboard-1\.png, \d+ bytes\]/);
  unlinkSync(join(place.home, "has-image"));
  terminal.type("\x16");
  await terminal.shows("the clipboard is empty");
  writeFileSync(join(place.home, "clip"), "two\nlines");
  terminal.type("\x16");
  await terminal.shows(/^two\nlines$/m);
  terminal.type("\x03");
  writeFileSync(join(place.home, "clip"), Buffer.from([1, 0, 2, 0, 255]));
  terminal.type("\x16");
  await terminal.shows("the clipboard has neither an image nor a text");
});
