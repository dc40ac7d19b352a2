/** Snapshots that change without the code that they show. */
import { type Change, CODE, type Part, type Signal, signal, stemOf } from "./change.ts";
import { joined, type Read } from "./gate-script.ts";

const IMPORT =
  /\bfrom\s+['"](\.[^'"]+)['"]|\b(?:require|import)\(\s*['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]/gm;
const ENDINGS = [
  "",
  ".ts",
  ".tsx",
  ".js",
  ".jsx",
  ".mjs",
  ".vue",
  ".svelte",
  "/index.ts",
  "/index.tsx",
  "/index.js",
];
const IMPORTS_MAX = 60;

export async function snapshotSignals(change: Change, parts: readonly Part[]): Promise<Signal[]> {
  const code = new Set(
    parts
      .filter((one) => one.judging !== "snapshot" && CODE.test(one.path) && one.judging !== "test")
      .map((one) => one.path),
  );
  const found: Signal[] = [];
  for (const { path, judging, file } of parts) {
    // New snapshots change nothing that was agreed.
    if (judging !== "snapshot" || file.removed === 0 || file.kind === "deleted") continue;
    const test = /^(.*)__snapshots__\/(.+)\.snap$/.exec(path);
    const own = test ? await reaches(`${test[1]}${test[2]}`, code, change.after) : code.size > 0;
    if (!own)
      found.push(
        signal(
          "snapshot",
          path,
          file.lines.find((one) => one.sign === "+")?.number ?? null,
          "a snapshot changes, and the code that it shows does not",
        ),
      );
  }
  return found;
}

/** Whether a test imports one of these files, also by others. */
async function reaches(test: string, files: ReadonlySet<string>, read: Read): Promise<boolean> {
  if ([...files].some((path) => stemOf(path) === stemOf(test))) return true;
  const queue = [test];
  for (let at = 0; at < queue.length && at < IMPORTS_MAX; at += 1) {
    const path = queue[at] ?? "";
    const text = await read(path);
    if (text === null) continue;
    const folder = path.replace(/[^/]*$/, "");
    for (const [, one, other, third] of text.matchAll(IMPORT)) {
      const full = joined(folder, one ?? other ?? third ?? "");
      const names = ENDINGS.flatMap((ending) => [`${full}${ending}`, full.replace(/\.js$/, ".ts")]);
      if (names.some((name) => files.has(name))) return true;
      for (const name of new Set(names))
        if (!queue.includes(name) && queue.length < IMPORTS_MAX * 4 && /\.\w+$/.test(name)) queue.push(name);
    }
  }
  return false;
}
