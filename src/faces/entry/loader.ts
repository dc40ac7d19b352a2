#!/usr/bin/env node
/**
 * The `ekiden` command as it is built: it loads the program together with the code that V8 made of it at an earlier start. Parsing
 * and compiling are two fifths of a start. This file imports nothing of the program, and from source `main.ts` starts without it.
 *
 * The code is kept beside the program (`dist/.code`), because V8 runs it unchecked: a user who can write there can change the
 * program anyway. A person that cannot write there has a folder of the person's own, which the sandbox hides from commands. Else nothing is kept.
 */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";

/** Of V8, its flags and the processor: code for another tag is refused. */
const TAG = cachedDataVersionTag();
const WORDS = process.argv.slice(2);
/** Commands that use other parts of the program. Each has code of its own: V8 keeps the functions that a start has used. */
const KIND = WORDS.some((word) => /^(-h|--help|--version|-V)$/.test(word))
  ? "other"
  : (["run", "resume", "worker", "web"].find((word) => WORDS.includes(word)) ??
    (WORDS.every((word) => word.startsWith("-")) ? "talk" : "other"));
const FOLDER = folder();
/** A file whose name tells its content: code that was made of it cannot be of another version. */
const HASHED = /-[\w-]{8}\d?\.js$/;

/** As `own-folders.ts` has it. Null where it belongs to somebody else, as after `sudo` with the home of another user. */
function ownFolder(): string | null {
  const { XDG_DATA_HOME } = process.env;
  const shared = process.platform === "darwin" ? "Library/Application Support" : ".local/share";
  const path = join(XDG_DATA_HOME || join(homedir(), shared), "ekiden", "code");
  return isWritable(path) && statSync(path).uid === process.getuid?.() ? path : null;
}

function isWritable(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: path.startsWith(__dirname) ? 0o755 : 0o700 });
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function folder(): string | null {
  const beside = join(__dirname, ".code");
  const place = isWritable(beside) ? beside : ownFolder();
  return place && join(place, `${process.version}-${TAG}-${KIND}`);
}

type Loaded = { readonly exports: object; readonly script: Script };
const loaded = new Map<string, Loaded>();
const missing = new Set<string>();
const outside = createRequire(__filename);

function load(name: string): object {
  const known = loaded.get(name);
  if (known) return known.exports;
  const filename = join(__dirname, name);
  const cachedData = HASHED.test(name) ? kept(name) : undefined;
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, "latin1")}\n})`;
  const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
  if (HASHED.test(name) && script.cachedDataRejected !== false) missing.add(name);
  const module = { exports: {} };
  loaded.set(name, { exports: module.exports, script });
  const body = script.runInThisContext() as (...of: unknown[]) => void;
  body.call(module.exports, module.exports, required, module, filename, __dirname);
  return module.exports;
}

const required = Object.assign(
  (id: string): unknown => (id.startsWith("./") ? load(id.slice(2)) : outside(id)),
  outside,
);

function kept(name: string): Buffer | undefined {
  if (FOLDER === null) return undefined;
  try {
    return readFileSync(join(FOLDER, name));
  } catch {
    return undefined;
  }
}

/** Keeps the code of what was loaded without it, with all functions that have run by now. */
function keep(): void {
  // After a change of flags V8 would refuse it at the next start.
  if (FOLDER === null || missing.size === 0 || cachedDataVersionTag() !== TAG) return;
  try {
    mkdirSync(FOLDER, { recursive: true, mode: 0o755 });
    for (const name of missing) {
      const script = loaded.get(name)?.script;
      if (script) write(join(FOLDER, name), script.createCachedData());
    }
  } catch {
    // The folder cannot be written: the next start compiles again.
  }
  missing.clear();
}

/** Another start may read it meanwhile, and a power cut must not leave a part of it: V8 does not check it. */
function write(path: string, code: Buffer): void {
  const part = `${path}.${process.pid}`;
  const file = openSync(part, "w");
  try {
    writeSync(file, code);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
}

/** By then a conversation stands; later V8 drops functions that are not used any more. */
const KEEP_MS = 2_000;

process.once("ekiden:started", keep);
setTimeout(keep, KEEP_MS).unref();
process.once("exit", (code) => {
  // A command that failed has used too little of the program.
  if (code === 0) keep();
});
load("program.js");
