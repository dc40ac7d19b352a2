/**
 * A build plugin: packages that import `process` as an ES module get the global of that name, which is the same. For the import
 * Node reads all properties of it, which opens stdin and lists every option it has: 4 ms of a start.
 */
import type { Rolldown } from "tsdown";

const IMPORT = /^import process from (["'])node:process\1;?$/m;

/** A variable, because a module may export it again. */
const GLOBAL = "const process = globalThis.process;";

export function globalProcess(): Rolldown.Plugin {
  return {
    name: "global-process",
    transform: (code) => (IMPORT.test(code) ? code.replace(IMPORT, GLOBAL) : null),
  };
}
