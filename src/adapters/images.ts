/** The bytes of images: one file each below the output folder, named by its hash. Providers get them in base64. */
import { createHash, randomBytes } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import { open, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "../core/conversation/chat.ts";
import { fittingImages } from "../core/conversation/fitting-images.ts";
import { IMAGES_MAX, type Image, type ImageFile, imageLeftOut } from "../core/conversation/image.ts";
import { notPermitted } from "../core/errors.ts";
import { makeFolder } from "./make-folder.ts";

/** Never waits for a pipe, which a member may have put there. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const folderIn = (outputDir: string): string => join(outputDir, "images");
const fileOf = (outputDir: string, { sha256, mediaType }: Pick<Image, "sha256" | "mediaType">): string =>
  join(folderIn(outputDir), `${sha256}.${mediaType.slice("image/".length)}`);

/** @throws EkidenError `not_permitted` for a link in place of the folder; errors of the file system */
export async function keepImage(outputDir: string, { name, mediaType, content }: ImageFile): Promise<Image> {
  const image: Image = { type: "image", name, sha256: hashOf(content), mediaType, bytes: content.length };
  const folder = folderIn(outputDir);
  makeFolder(outputDir, 0o700);
  makeFolder(folder, 0o700);
  if (lstatSync(folder).isSymbolicLink())
    throw notPermitted(
      `${folder} is a symbolic link, and Ekiden does not write through links in a project. Remove it.`,
    );
  // A file that is used again is young again: `ekiden prune` goes by age.
  if ((await bytesOf(outputDir, image)) !== null) {
    await utimes(fileOf(outputDir, image), new Date(), new Date());
    return image;
  }
  const fresh = join(folder, `${image.sha256}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFile(fresh, content, { mode: 0o600, flag: "wx" });
    await rename(fresh, fileOf(outputDir, image));
  } finally {
    await rm(fresh, { force: true });
  }
  return image;
}

/** Null where the file is missing or has other bytes. */
export async function bytesOf(
  outputDir: string,
  image: Omit<Image, "name" | "type">,
): Promise<Buffer | null> {
  const file = await open(fileOf(outputDir, image), FLAGS).catch(() => null);
  if (!file) return null;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size !== image.bytes) return null;
    const bytes = await file.readFile();
    return hashOf(bytes) === image.sha256 ? bytes : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** Base64 of the images that were sent last, by hash: every turn sends them again. */
const recent = new Map<string, string>();
const RECENT_CHARACTERS = 2 * IMAGES_MAX.bytes;

async function encodedImage(outputDir: string, image: Image): Promise<string | null> {
  const text = recent.get(image.sha256) ?? (await bytesOf(outputDir, image))?.toString("base64");
  if (text === undefined) return null;
  recent.delete(image.sha256);
  recent.set(image.sha256, text);
  let characters = 0;
  for (const one of recent.values()) characters += one.length;
  for (const [oldest, { length }] of recent) {
    if (characters <= RECENT_CHARACTERS) break;
    recent.delete(oldest);
    characters -= length;
  }
  return text;
}

/** An image as it is sent: its base64, or a text in its place. */
export type SentImage = { readonly data: string } | { readonly text: string };

/** The images of a request, as many as one takes. */
export async function imagesFor(
  messages: readonly Message[],
  outputDir: string | undefined,
): Promise<(image: Image) => SentImage> {
  const sent = new Map<Image, SentImage>();
  for (const image of fittingImages(messages)) {
    const data = outputDir === undefined ? null : await encodedImage(outputDir, image);
    sent.set(image, data === null ? { text: imageLeftOut(image, "is not on this machine") } : { data });
  }
  return (image) => sent.get(image) ?? { text: imageLeftOut(image, TOO_MANY) };
}

const TOO_MANY = `is left out, because one request takes ${IMAGES_MAX.count} images of ${IMAGES_MAX.bytes / 1e6} MB together: look at it again after this reply`;
