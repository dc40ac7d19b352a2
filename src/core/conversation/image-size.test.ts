import { expect, it } from "vitest";
import { pictureHead } from "../../../test/fixtures/pictures.ts";
import type { MediaType } from "./image.ts";
import { imageFault } from "./image-size.ts";

const KINDS: readonly MediaType[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const fault = (mediaType: MediaType, content: Uint8Array): string | null =>
  imageFault({ mediaType, content });

it.each(KINDS)("reads how large a %s is, and takes at most 8000 pixels on a side", (kind) => {
  expect(fault(kind, pictureHead(kind, 8_000, 1))).toBeNull();
  expect(fault(kind, pictureHead(kind, 8_001, 3))).toBe(
    "it has 8001 x 3 pixels, and providers take at most 8000 on a side",
  );
  expect(fault(kind, pictureHead(kind, 3, 8_001))).toContain("3 x 8001");
});

it.each(KINDS)("takes no %s whose header is cut or says nothing", (kind) => {
  const head = pictureHead(kind);
  for (let end = 0; end < head.length - 6; end += 1) {
    const said = fault(kind, head.subarray(0, end));
    expect([end, said]).toEqual([end, "its header is broken"]);
  }
  expect(fault(kind, Buffer.concat([head.subarray(0, 4), Buffer.alloc(100)]))).toBe("its header is broken");
});

it("reads both other forms of WebP, and a JPEG behind long segments and fill bytes", () => {
  const webp = (form: string, ...bytes: number[]): Buffer =>
    Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${form}\0\0\0\0`), Buffer.from(bytes)]);
  expect(fault("image/webp", webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0x41, 0x1f, 2, 0))).toContain("8001 x 2");
  // 14 bits of the width less one, then 14 of the height less one: 8000 and 1.
  expect(fault("image/webp", webp("VP8L", 0x2f, 0x40, 0x5f, 0, 0))).toContain("8001 x 2");
  const [start, app, frame] = [
    [0xff, 0xd8],
    [0xff, 0xe1, 0x10, 2, ...Buffer.alloc(0x1000)],
    [0xff, 0xff],
  ];
  const sof = [0xff, 0xc2, 0, 11, 8, 0, 5, 0x1f, 0x41, 1];
  expect(fault("image/jpeg", Buffer.from([...start, ...app, ...frame, ...sof]))).toContain("8001 x 5");
});
