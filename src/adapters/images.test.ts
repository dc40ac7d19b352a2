import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Message } from "../core/conversation/chat.ts";
import { IMAGES_MAX, type Image } from "../core/conversation/image.ts";
import { imagesFor, keepImage } from "./images.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ekiden-images-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

let made = 0;
const bytesOf = (nth: number, size: number): Buffer => Buffer.alloc(size, `image ${nth} ${dir}`);
async function kept(size = 100): Promise<Image> {
  made += 1;
  const bytes = bytesOf(made, size);
  return await keepImage(dir, { name: `${made}.png`, mediaType: "image/png", content: bytes });
}
const message = (...content: Image[]): Message => ({ role: "user", content });
const fileOf = ({ sha256 }: Image): string => join(dir, "images", `${sha256}.png`);

it("sends the first images where all would be too many or too large, so that none is taken back", async () => {
  const many = await Promise.all(Array.from({ length: IMAGES_MAX.count + 2 }, () => kept()));
  const large = await Promise.all([1, 2, 3].map(() => kept(IMAGES_MAX.bytes / 2)));
  const count = async (images: readonly Image[]): Promise<boolean[]> => {
    const sent = await imagesFor([message(...images)], dir);
    return images.map((image) => "data" in sent(image));
  };
  expect(await count(many)).toEqual(many.map((_, i) => i < IMAGES_MAX.count));
  expect(await count(large)).toEqual([true, true, false]);
});

it.each<[string, (file: string) => void]>([
  ["is missing", (file) => rmSync(file)],
  ["was changed", (file) => writeFileSync(file, Buffer.alloc(100))],
  ["has grown to 10 GB", (file) => truncateSync(file, 10_000_000_000)],
  [
    "is a pipe",
    (file) => {
      rmSync(file);
      execFileSync("mkfifo", [file]);
    },
  ],
  [
    "is a link",
    (file) => {
      rmSync(file);
      symlinkSync("/dev/zero", file);
    },
  ],
])("says so in its place where the file %s, and is kept again by the next message", async (_, spoil) => {
  const image = await kept();
  spoil(fileOf(image));
  const sent = await imagesFor([message(image)], dir);
  expect(sent(image)).toEqual({ text: `[image ${image.name} is not on this machine]` });
  await keepImage(dir, { ...image, content: bytesOf(made, 100) });
  const again = await imagesFor([message(image)], dir);
  expect(again(image)).toEqual({ data: bytesOf(made, 100).toString("base64") });
});

it("writes through no link", async () => {
  const elsewhere = join(dir, "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(dir, "images"));
  await expect(kept()).rejects.toMatchObject({ code: "not_permitted" });
  expect(readdirSync(elsewhere)).toEqual([]);
});
