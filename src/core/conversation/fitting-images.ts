/** The images of a conversation that one request takes. */
import type { Message } from "./chat.ts";
import { IMAGES_MAX, type Image } from "./image.ts";

export const imagesOf = ({ role, content }: Message): Image[] =>
  role === "user" ? content.filter((part) => part.type === "image") : [];

/** The images that one request takes: the first ones, so that no later request changes what an earlier one sent. */
export function fittingImages(messages: readonly Message[]): Set<Image> {
  const fit = new Set<Image>();
  let bytes = 0;
  for (const image of messages.flatMap(imagesOf)) {
    bytes += image.bytes;
    if (bytes > IMAGES_MAX.bytes || fit.size >= IMAGES_MAX.count) break;
    fit.add(image);
  }
  return fit;
}

/** New images do not fit beside those of `before`. */
export function areCrowded(before: readonly Message[], images: readonly Image[]): boolean {
  if (images.length === 0 || !before.some((message) => imagesOf(message).length > 0)) return false;
  const fit = fittingImages([...before, { role: "user", content: images }]);
  return images.some((image) => !fit.has(image));
}
