/**
 * A build plugin: the library as an ES module, beside a program of CommonJS files. Its names are read from the built entry
 * `library.js`, so that nothing lists them twice.
 */
import type { Rolldown } from "tsdown";

const MANIFEST = { type: "commonjs" };

export function libraryAsModule(): Rolldown.Plugin {
  return {
    name: "library-as-module",
    generateBundle(_options, bundle) {
      const library = bundle["library.js"];
      if (library?.type !== "chunk") throw new Error("the build has no library.js");
      const source = [
        'import { createRequire } from "node:module";',
        'const library = createRequire(import.meta.url)("./library.js");',
        `export const { ${library.exports.join(", ")} } = library;`,
        "",
      ].join("\n");
      this.emitFile({ type: "asset", fileName: "index.mjs", source });
      this.emitFile({ type: "asset", fileName: "package.json", source: `${JSON.stringify(MANIFEST)}\n` });
    },
  };
}
