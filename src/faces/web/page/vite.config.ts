/**
 * Builds the page into dist/web: one script and one style, so that a recording can hold them inline. Files name each
 * other relative to themselves: the page may stand below a path. Each file has its compressed forms beside it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const OUT = resolve(import.meta.dirname, "../../../../dist/web");

const compressed: Plugin = {
  name: "compressed-files",
  apply: "build",
  closeBundle() {
    const folder = join(OUT, "assets");
    for (const name of readdirSync(folder).filter((one) => /\.(js|css|svg)$/.test(one))) {
      const body = readFileSync(join(folder, name));
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(body));
      writeFileSync(join(folder, `${name}.gz`), gzipSync(body, { level: 9 }));
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  logLevel: "warn",
  plugins: [compressed],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: false } },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
