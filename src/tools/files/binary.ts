/** Says of the first bytes of a file whether they are text, and if not, what they are. */

const MAGIC: readonly (readonly [bytes: string, kind: string])[] = [
  ["\x89PNG", "PNG image"],
  ["\xff\xd8\xff", "JPEG image"],
  ["GIF8", "GIF image"],
  ["BM", "BMP image"],
  ["II*\0", "TIFF image"],
  ["MM\0*", "TIFF image"],
  ["\0\0\x01\0", "icon"],
  ["8BPS", "Photoshop image"],
  ["%PDF", "PDF"],
  ["PK\x03\x04", "ZIP archive"],
  ["PK\x05\x06", "empty ZIP archive"],
  ["\x1f\x8b", "gzip"],
  ["BZh", "bzip2"],
  ["\xfd7zXZ\0", "xz"],
  ["\x28\xb5\x2f\xfd", "zstd"],
  ["7z\xbc\xaf\x27\x1c", "7z archive"],
  ["Rar!", "RAR archive"],
  ["!<arch>", "ar archive or static library"],
  ["\x7fELF", "ELF program or library"],
  ["MZ", "Windows program"],
  ["\xcf\xfa\xed\xfe", "Mach-O program"],
  ["\xca\xfe\xba\xbe", "Java class or Mach-O program"],
  ["\0asm", "WebAssembly"],
  ["SQLite format 3", "SQLite database"],
  ["PAR1", "Parquet"],
  ["\xd0\xcf\x11\xe0", "old Office document"],
  ["OggS", "Ogg sound"],
  ["fLaC", "FLAC sound"],
  ["ID3", "MP3 sound"],
  ["\x1aE\xdf\xa3", "Matroska or WebM film"],
  ["wOF2", "WOFF2 font"],
  ["wOFF", "WOFF font"],
  ["\0\x01\0\0", "TrueType font"],
  ["OTTO", "OpenType font"],
  ["\xff\xfe", "UTF-16 text"],
  ["\xfe\xff", "UTF-16 text"],
];

/** At another place than the start. */
const INSIDE: readonly (readonly [at: number, bytes: string, kind: string])[] = [
  [4, "ftyp", "MP4 or HEIC"],
  [8, "WEBP", "WebP image"],
  [8, "WAVE", "WAV sound"],
  [257, "ustar", "tar archive"],
];

const LOOKED_AT = 8_000;
/** Text in an old encoding has fewer bytes that are not UTF-8. */
const ODD_SHARE = 0.3;

/** "PNG image"; for what is unknown, its first bytes; null for text. */
export function binaryKind(bytes: Buffer): string | null {
  const head = bytes.subarray(0, LOOKED_AT);
  if (!head.includes(0) && !isOdd(head)) return null;
  const text = head.subarray(0, 300).toString("latin1");
  const kind =
    INSIDE.find(([at, what]) => text.startsWith(what, at))?.[2] ??
    MAGIC.find(([what]) => text.startsWith(what))?.[1];
  return (
    kind ??
    `of an unknown format, beginning with the bytes ${head
      .subarray(0, 16)
      .toString("hex")
      .replace(/..(?=.)/g, "$& ")}`
  );
}

function isOdd(head: Buffer): boolean {
  const text = head.toString("utf8");
  let odd = 0;
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (code === 0xfffd || (code < 32 && !(code >= 7 && code <= 13) && code !== 27)) odd += 1;
  }
  return odd > text.length * ODD_SHARE;
}
