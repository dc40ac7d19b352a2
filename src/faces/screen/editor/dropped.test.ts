import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { takeAway } from "../../../../test/fixtures/take-away.ts";
import { imagesNamed } from "../../../core/conversation/image.ts";
import { withDropped } from "./dropped.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-dropped-")));
afterAll(() => takeAway(folder));
const file = (name: string): string => {
  const path = join(folder, name);
  writeFileSync(path, "");
  return path;
};
const shot = file("shot.png");
const spaced = file("my shot.JPG");
const odd = file(`it's "odd" \\ ÷ 12.00\u202fPM.webp`);
const text = file("notes.txt");
const other = file("other.gif");
mkdirSync(join(folder, "folder.png"));

const paste = (words: string): string => `\x1b[200~${words}\x1b[201~`;
const pasted = (words: string, before = ""): string =>
  withDropped(paste(words), before).slice("\x1b[200~".length, -"\x1b[201~".length);
const escaped = (path: string): string => path.replace(/[ '"\\]/g, "\\$&");
const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

it.each([
  ["a plain path", shot, [shot]],
  ["a blank at the end", `${shot} `, [shot]],
  ["single quotes", quoted(spaced), [spaced]],
  ["double quotes", `"${spaced}"`, [spaced]],
  ["escaped blanks", escaped(spaced), [spaced]],
  ["a blank that nobody quoted", spaced, [spaced]],
  ["every odd character, escaped", escaped(odd), [odd]],
  ["every odd character, quoted", quoted(odd), [odd]],
  ["an address", pathToFileURL(spaced).href, [spaced]],
  ["several on a line", `${quoted(spaced)} ${shot} ${escaped(odd)} `, [spaced, shot, odd]],
  ["several lines", `${spaced}\r${shot}\n${pathToFileURL(other).href}\r\n`, [spaced, shot, other]],
])("names the images of a drop: %s", (_, words, paths) => {
  expect(imagesNamed(pasted(words))).toEqual(paths);
});

it("keeps words around a drop apart", () => {
  expect(pasted(shot, "see ")).toBe(`@${shot} `);
  expect(pasted(shot, "see")).toBe(` @${shot} `);
  expect(pasted(spaced, "see @")).toBe(`"${spaced}" `);
});

it.each([
  ["a text with a path", `look at ${shot}`],
  ["a file that is no image", text],
  ["an image beside another file", `${shot} ${text}`],
  ["a file that does not exist", join(folder, "none.png")],
  ["a folder", join(folder, "folder.png")],
  ["a relative path", "shot.png"],
  ["an address of another machine", "https://example.com/shot.png"],
  ["a broken address", "file://host/%zz.png"],
  ["a path with a null", `/\0.png`],
  ["a very long text", `${shot} `.repeat(1_000)],
  ["nothing", ""],
  ["one quote", "'"],
])("leaves alone what is no drop of images: %s", (_, words) => {
  expect(pasted(words)).toBe(words);
});

it("leaves keys alone", () => {
  for (const key of ["a", "/", "\r", "\x1b[A", shot]) expect(withDropped(key, "")).toBe(key);
});
