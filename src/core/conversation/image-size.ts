/**
 * The size of an image in pixels, from its header. A provider refuses the whole request for one image that is too large or broken, and
 * the conversation would lose its form over it.
 */
import { tried } from "../tried.ts";
import type { ImageFile, MediaType } from "./image.ts";

/** The limit of one side: Anthropic refuses more. */
const PIXELS_MAX = 8_000;

type Size = readonly [width: number, height: number];

const SIZES: Readonly<Record<MediaType, (view: DataView) => Size | null>> = {
  "image/png": (view) =>
    view.getUint32(12) === 0x49484452 /* IHDR */ ? [view.getUint32(16), view.getUint32(20)] : null,
  "image/gif": (view) => [view.getUint16(6, true), view.getUint16(8, true)],
  "image/webp": webpSize,
  "image/jpeg": jpegSize,
};

function webpSize(view: DataView): Size | null {
  const bits = (at: number): number => view.getUint16(at, true) & 0x3fff;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X: 24 bits each, less one
      return [(view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1];
    case 0x56503820: // VP8
      return [bits(26), bits(28)];
    case 0x5650384c: // VP8L: 14 bits each, less one
      return [bits(21) + 1, ((view.getUint32(21, true) >>> 14) & 0x3fff) + 1];
    default:
      return null;
  }
}

/** The size in the first frame header; the segments before it are skipped. */
function jpegSize(view: DataView): Size | null {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at += 1;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    if (marker === 0xda || marker === 0xd9) return null;
  }
  return null;
}

/** The reason why no model can get the image, or null. */
export function imageFault({ mediaType, content }: Omit<ImageFile, "name">): string | null {
  const [width, height] = sizeOf(mediaType, content) ?? [0, 0];
  if (width === 0 || height === 0) return "its header is broken";
  if (width <= PIXELS_MAX && height <= PIXELS_MAX) return null;
  return `it has ${width} x ${height} pixels, and providers take at most ${PIXELS_MAX} on a side`;
}

const sizeOf = (type: MediaType, { buffer, byteOffset, byteLength }: Uint8Array): Size | null =>
  tried(() => SIZES[type](new DataView(buffer, byteOffset, byteLength)), null); // the file ends before
