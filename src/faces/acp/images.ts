/** The images of a prompt, kept where models read them. */
import { join } from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { IMAGE_MAX, IMAGES_MAX, type Image, mediaTypeOf } from "../../core/conversation/image.ts";
import { imageFault } from "../../core/conversation/image-size.ts";
import { badInput } from "../../core/errors.ts";

/** @throws EkidenError `bad_input` */
export async function promptImages(blocks: readonly ContentBlock[], cwd: string): Promise<Image[]> {
  const contents = blocks.flatMap((block) =>
    block.type === "image" ? [Buffer.from(block.data, "base64")] : [],
  );
  if (contents.length === 0) return [];
  const total = contents.reduce((sum, { length }) => sum + length, 0);
  if (contents.length > IMAGES_MAX.count || total > IMAGES_MAX.bytes)
    throw badInput(`One message takes at most ${IMAGES_MAX.count} images of 15 MB together.`);
  const { keepImage } = await import("../../adapters/images.ts");
  const kept: Image[] = [];
  for (const [i, content] of contents.entries()) {
    const mediaType = mediaTypeOf(content);
    if (mediaType === null || content.length > IMAGE_MAX)
      throw badInput(
        `Image ${i + 1} was not sent: models take PNG, JPEG, GIF and WebP of at most ${IMAGE_MAX / 1e6} MB.`,
      );
    const fault = imageFault({ mediaType, content });
    if (fault !== null) throw badInput(`Image ${i + 1} was not sent: ${fault}.`);
    const name = `image-${i + 1}.${mediaType.slice("image/".length)}`;
    kept.push(await keepImage(join(cwd, ".ekiden", "output"), { name, mediaType, content }));
  }
  return kept;
}
