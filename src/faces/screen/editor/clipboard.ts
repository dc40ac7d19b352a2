/** The clipboard of this machine, through the program that the desktop has for it: an image becomes a file, a text is a text. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mediaTypeOf } from "../../../core/conversation/image.ts";

export type Clip =
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "nothing"; readonly why: string };

const WAIT_MS = 3_000;
const BYTES_MAX = 20_000_000;
const TEXT_MAX = 200_000;

type Reader = {
  readonly has: (env: NodeJS.ProcessEnv) => boolean;
  readonly image: readonly string[];
  readonly text: readonly string[];
  readonly decode?: (output: Buffer) => Buffer;
};

const READERS: readonly Reader[] = [
  {
    has: (env) => !!env.WAYLAND_DISPLAY,
    image: ["wl-paste", "--no-newline", "--type", "image/png"],
    text: ["wl-paste", "--no-newline", "--type", "text/plain"],
  },
  {
    has: (env) => !!env.DISPLAY,
    image: ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
    text: ["xclip", "-selection", "clipboard", "-out"],
  },
  {
    has: () => process.platform === "darwin",
    image: ["osascript", "-e", "get the clipboard as «class PNGf»"],
    text: ["pbpaste"],
    // «data PNGf89504E47…»
    decode: (output) => Buffer.from(/PNGf([\da-fA-F]+)/.exec(output.toString("latin1"))?.[1] ?? "", "hex"),
  },
];

export async function readClipboard(env: NodeJS.ProcessEnv): Promise<Clip> {
  const readers = READERS.filter((one) => one.has(env));
  let found = false;
  for (const { image, text, decode = (output: Buffer) => output } of readers) {
    const bytes = await outputOf(image, env);
    const type = bytes && mediaTypeOf(decode(bytes));
    if (bytes && type) return { kind: "image", path: kept(decode(bytes), type.slice("image/".length)) };
    const words = await outputOf(text, env);
    found ||= bytes !== null || words !== null;
    if (words === null || words.length === 0) continue;
    if (words.includes(0)) return { kind: "nothing", why: "the clipboard has neither an image nor a text" };
    if (words.length > TEXT_MAX)
      return {
        kind: "nothing",
        why: `the text in the clipboard has ${words.length} bytes; the limit is ${TEXT_MAX}`,
      };
    return { kind: "text", text: words.toString("utf8") };
  }
  return {
    kind: "nothing",
    why: found
      ? "the clipboard is empty"
      : "the clipboard cannot be read here: install wl-paste (Wayland) or xclip (X). To attach a file: @path",
  };
}

/** Null where the program is not there, has nothing of this kind, or does not end. */
function outputOf([file = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<Buffer | null> {
  const limits = { timeout: WAIT_MS, killSignal: "SIGKILL", maxBuffer: BYTES_MAX } as const;
  return new Promise((resolve) => {
    const child = execFile(file, args, { ...limits, env, encoding: "buffer" }, (error, stdout) =>
      resolve(error ? null : stdout),
    );
    child.stdin?.end();
  });
}

let folder: string | null = null;
let count = 0;

/** The file lives as long as this process: a message that is sent has a copy of it. */
function kept(bytes: Buffer, ending: string): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), "ekiden-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  count += 1;
  const path = join(folder, `clipboard-${count}.${ending}`);
  writeFileSync(path, bytes, { mode: 0o600 });
  return path;
}
