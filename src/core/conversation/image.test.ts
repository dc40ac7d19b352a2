import { expect, it } from "vitest";
import { heard } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { imagesOf } from "./fitting-images.ts";
import {
  IMAGE_CHARACTERS,
  type Image,
  imageLine,
  imageName,
  imagesNamed,
  mediaTypeOf,
  mention,
  withImages,
} from "./image.ts";
import { trimmed, WHOLE } from "./trim.ts";

it.each([
  ["look at @shot.png", ["shot.png"]],
  ["@a.png, @b.JPG; and (see @c.webp).", ["a.png", "b.JPG", "c.webp"]],
  ["@a.png and @a.png again", ["a.png"]],
  [
    "@\"my shot.png\" @'your shot.gif' @their\\ shot.jpeg",
    ["my shot.png", "your shot.gif", "their shot.jpeg"],
  ],
  ["@~/a.png @/tmp/b.png @../c.png", ["~/a.png", "/tmp/b.png", "../c.png"]],
  ["me@host.png, @dev/zero, @src/a.ts, shot.png, @ x.png, @.png.txt", []],
])("finds the images that %j names", (text, paths) => {
  expect(imagesNamed(text)).toEqual(paths);
});

it("takes no long time for a long text", () => {
  for (const piece of ['@"', "@\\ ", "@a.", " @'", "@!!!"])
    expect(imagesNamed(piece.repeat(60_000))).toEqual([]);
});

it("knows the kinds of images by their first bytes", () => {
  const kind = (text: string): string | null => mediaTypeOf(Buffer.from(text, "latin1"));
  expect(["\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "GIF87a", "RIFF\n\0\0\0WEBPVP8"].map(kind)).toEqual([
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
  ]);
  expect(["", "text", "RIFF\0\0\0\0WAVE", "<svg>"].map(kind)).toEqual([null, null, null, null]);
});

const image = (name: string, bytes = 12_345): Image => ({
  type: "image",
  name,
  sha256: name,
  mediaType: "image/png",
  bytes,
});

it("says how large an image is", () => {
  expect(withImages("see", [image("a.png", 999), image("b.png"), image("c.png", 3_710_000)])).toBe(
    "see\n[image a.png, 999 bytes]\n[image b.png, 12 kB]\n[image c.png, 3.7 MB]",
  );
});

it("counts for the size of a conversation and is left out before the last shortened result", () => {
  const call = (id: string) =>
    ({
      kind: "said",
      message: { role: "assistant", content: [{ type: "call", id, tool: "bash", input: {} }] },
    }) as const;
  const result = (id: string) =>
    ({
      kind: "result",
      result: { type: "result", id, tool: "bash", text: "x".repeat(999), isError: false },
    }) as const;
  const conversation = new Conversation();
  conversation.add(heard("one", [image("old.png")]));
  expect(conversation.size).toBe("one".length + IMAGE_CHARACTERS);
  for (const entry of [
    call("a"),
    result("a"),
    call("b"),
    result("b"),
    heard("two", [image("new.png")]),
    call("c"),
  ])
    conversation.add(entry);
  const view = trimmed(conversation.whole, { ...WHOLE, results: 1 });
  expect(view[0]?.content).toEqual([
    { type: "text", text: "one" },
    { type: "text", text: "[image old.png is left out]" },
  ]);
  expect(view.flatMap(imagesOf).map(({ name }) => name)).toEqual(["new.png"]);
  expect(conversation.whole.flatMap(imagesOf)).toHaveLength(2);
});

it.each([
  ["a.png", "@a.png"],
  ["a b.png", '@"a b.png"'],
  ["it's.png", '@"it\'s.png"'],
  ["a\\b.png", '@"a\\b.png"'],
  ['a "b".png', '@a\\ \\"b\\".png'],
])("mentions %j so that it is found again", (path, text) => {
  expect(mention(path)).toBe(text);
  expect(imagesNamed(`see ${text}`)).toEqual([path]);
});

it.each([
  [999, "999 bytes"],
  [1_000, "1 kB"],
  [999_499, "999 kB"],
  [1_000_000, "1.0 MB"],
])("shows %i bytes as %s", (bytes, size) => {
  const image = { type: "image", name: "a", sha256: "0", mediaType: "image/png", bytes } as const;
  expect(imageLine(image)).toBe(`[image a, ${size}]`);
});

it("names an image without its folder and without signs of a tag", () => {
  expect(imageName("a/b/shot 1.png")).toBe("shot 1.png");
  expect(imageName("<b>\n.png")).toBe("_b__.png");
  expect(imageName(`${"x".repeat(99)}.png`)).toBe(`${"x".repeat(76)}.png`);
});
