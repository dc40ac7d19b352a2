/**
 * Images that the person sends, and those that a model reads. Mail and transcripts hold only what is here; the bytes are in a file that is named by its hash
 * (`adapters/images.ts`), and are read when a request is encoded.
 */

/** Its bytes are in a file of that name. */
export type Image = {
  readonly type: "image";
  /** The name of the file, without its folder. */
  readonly name: string;
  readonly sha256: string;
  readonly mediaType: MediaType;
  readonly bytes: number;
};

export type MediaType = keyof typeof MAGIC;
export const isMediaType = (text: string): text is MediaType => Object.hasOwn(MAGIC, text);

/** An image with its bytes. */
export type ImageFile = Pick<Image, "name" | "mediaType"> & { readonly content: Uint8Array };

/** The first bytes of each kind that providers accept. */
const MAGIC = {
  "image/png": /^\x89PNG\r\n/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/gif": /^GIF8[79]a/,
  "image/webp": /^RIFF[\s\S]{4}WEBP/,
} as const;

/** Bytes of one image: in base64 these are 5,000,000 characters, and Anthropic refuses a longer text. */
export const IMAGE_MAX = 3_750_000;
/** The limits of one message and of one request: providers refuse a request of 32 MB, and large images among more than 20. */
export const IMAGES_MAX = { count: 20, bytes: 15_000_000 } as const;

/** The size of an image in an estimate: about 1,600 tokens. */
export const IMAGE_CHARACTERS = 5_600;

export function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return (Object.keys(MAGIC) as MediaType[]).find((type) => MAGIC[type].test(head)) ?? null;
}

const NAMED = /(?<=^|\s)@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\[^\n]|[^\s"'\\])+))/g;

export const isImageName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path);

/** The image files that a message names: `@shot.png`, `@"my shot.png"`, `@my\ shot.png`; each once. */
export const imagesNamed = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(NAMED)]
      .map(
        ([, double, single, bare = ""]) =>
          double ?? single ?? bare.replace(/[.,;:!?)\]]+$/, "").replace(/\\(.)/g, "$1"),
      )
      .filter(isImageName),
  ),
];

/** A path as a message names it. */
export function mention(path: string): string {
  if (!/[\s"'\\]/.test(path)) return `@${path}`;
  return path.includes('"') ? `@${path.replace(/[\s"'\\]/g, "\\$&")}` : `@"${path}"`;
}

/** Models and terminals read the name: nothing in it can pass for a tag or a control sequence. `path`: with slashes. */
export const imageName = (path: string): string =>
  (path.split("/").at(-1) ?? "").replace(/[^\p{L}\p{M}\p{N} ._()-]/gu, "_").slice(-80);

/** A message as people and models read it. */
export const withImages = (text: string, images: readonly Image[] = []): string =>
  [text, ...images.map(imageLine)].join("\n");

export const imageLine = ({ name, bytes }: Image): string => `[image ${name}, ${sizeOf(bytes)}]`;

const sizeOf = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

/** In the place of an image that is not sent. */
export const imageLeftOut = ({ name }: Image, why = "is left out"): string => `[image ${name} ${why}]`;
