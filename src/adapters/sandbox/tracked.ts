/** The paths in the index of a git directory, read without git: a start of it costs more than a short command. */
import { bytesIn } from "../small-files.ts";

const INDEX_MAX = 16 * 1024 * 1024;
const HEADER = 12;
/** Before the path of an entry: times, device, inode, mode, owner, size, a SHA-1 hash, flags. */
const FIXED = 62;
const EXTENDED = 0x4000;

/** Relative to the top of the work tree. Empty for an index that is missing, too large, or of another form. */
export function trackedIn(index: string): string[] {
  const bytes = bytesIn(index, INDEX_MAX);
  if (bytes === null || bytes.length < HEADER || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = bytes.readUInt32BE(4);
  const paths: string[] = [];
  let at = HEADER;
  let before = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (at + FIXED > bytes.length) return [];
    let start = at + FIXED + ((bytes.readUInt16BE(at + FIXED - 2) & EXTENDED) === 0 ? 0 : 2);
    let kept = 0;
    if (version === 4) {
      const [cut, next] = numberAt(bytes, start);
      kept = before.length - cut;
      start = next;
    }
    const end = bytes.indexOf(0, start);
    if (end === -1 || kept < 0) return [];
    before = Buffer.concat([before.subarray(0, kept), bytes.subarray(start, end)]);
    paths.push(before.toString());
    // Versions 2 and 3 fill up with zeros to a multiple of eight.
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return paths.filter((path) => !path.startsWith("/") && !path.split("/").includes(".."));
}

/** In base 128, as git writes offsets. Gives where it ends, too. */
function numberAt(bytes: Buffer, start: number): [number, number] {
  let at = start;
  let byte = bytes[at] ?? 0;
  let number = byte & 127;
  while (byte & 128 && at - start < 5) {
    at += 1;
    byte = bytes[at] ?? 0;
    number = (number + 1) * 128 + (byte & 127);
  }
  return [number, at + 1];
}
