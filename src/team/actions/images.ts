/** The images that the person names in a message: checked, and copied to where models read them. */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { keepImage } from "../../adapters/images.ts";
import {
  IMAGE_MAX,
  IMAGES_MAX,
  type Image,
  type ImageFile,
  imageName,
  mediaTypeOf,
} from "../../core/conversation/image.ts";
import { imageFault } from "../../core/conversation/image-size.ts";
import { badInput, type EkidenError, notFound } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";

const mb = (bytes: number): string => `${bytes / 1e6} MB`;

/** `paths`: as typed, relative to the project or absolute. Nothing is kept if one is refused. @throws EkidenError `bad_input` | `not_found` */
export async function keepImages(paths: readonly string[], cwd: string): Promise<Image[]> {
  const found: ImageFile[] = [];
  let total = 0;
  for (const path of paths) {
    const one = await readImage(path, cwd);
    total += one.content.length;
    if (found.length === IMAGES_MAX.count || total > IMAGES_MAX.bytes)
      throw badInput(
        `One message takes at most ${IMAGES_MAX.count} images of ${mb(IMAGES_MAX.bytes)} together. Send the others with another message.`,
      );
    found.push(one);
  }
  makeProjectFolder(cwd);
  const kept: Image[] = [];
  for (const image of found) kept.push(await keepImage(join(cwd, ".ekiden", "output"), image));
  return kept;
}

async function readImage(path: string, cwd: string): Promise<ImageFile> {
  const shown = quote(path);
  const refuse = (why: string): EkidenError =>
    badInput(`The image ${shown} was not sent: ${why}. To send the text alone, leave out the @.`);
  const typed = resolve(cwd, path.replace(/^~(?=\/)/, homedir()));
  const failed = (error: NodeJS.ErrnoException): never => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR")
      throw notFound(
        `There is no image ${shown}, so nothing was sent. Check the path; to send the text alone, leave out the @.`,
      );
    throw refuse(`it cannot be read (${error.code})`);
  };
  const real = await realpath(typed).catch(failed);
  // A link of a hostile repository must not send a picture of the person's own.
  if (isBelow(typed, cwd) && !isBelow(real, await realpath(cwd)))
    throw refuse("it is a link out of the project; name the file itself");
  const file = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(failed);
  try {
    const { size, ...stat } = await file
      .stat()
      .then((about) => ({ size: about.size, isFile: about.isFile() }));
    if (!stat.isFile) throw refuse("it is not a file");
    if (size > IMAGE_MAX)
      throw refuse(`it has ${mb(Math.ceil(size / 1e4) * 1e4)}, and providers take at most ${mb(IMAGE_MAX)}`);
    const room = Buffer.alloc(size);
    const { bytesRead } = await file.read(room, 0, size, 0);
    const content = room.subarray(0, bytesRead);
    const mediaType = mediaTypeOf(content);
    if (!mediaType) throw refuse("its content is not an image. Images are PNG, JPEG, GIF and WebP");
    const fault = imageFault({ mediaType, content });
    if (fault !== null) throw refuse(fault);
    return { name: imageName(typed), mediaType, content };
  } finally {
    await file.close();
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith("../");
}
