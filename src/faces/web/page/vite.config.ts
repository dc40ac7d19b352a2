/** Builds the page into dist/web: one script, one style and the worker, so that a recording can hold them inline. */
import { resolve } from "node:path";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: "warn",
  build: {
    outDir: resolve(import.meta.dirname, "../../../../dist/web"),
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: false } },
  },
  worker: { format: "es" },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
