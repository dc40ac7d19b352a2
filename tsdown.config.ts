/**
 * The build. What we import is bundled and minified, because reading hundreds of small files is most of a cold start;
 * code splitting keeps every `import()` a file of its own, so a command loads only what it uses.
 */
import { defineConfig } from "tsdown";
import { thirdPartyNotices } from "./scripts/notices.ts";

export default defineConfig({
  entry: { main: "src/apps/main.ts", index: "src/index.ts" },
  format: "esm",
  platform: "node",
  target: "node20",
  fixedExtension: false, // dist/main.js, not .mjs: package.json says "type": "module"
  dts: { entry: "src/index.ts" },
  minify: true,
  deps: {
    // Both are found on disk at run time: a program and a native addon.
    neverBundle: ["@vscode/ripgrep", "@photostructure/sqlite", /^node:/],
    onlyBundle: false,
  },
  // Packages that offer both forms are taken as ES modules: jsonc-parser's other one cannot be bundled, and only ES modules shake.
  inputOptions: { resolve: { mainFields: ["module", "main"] } },
  outputOptions: { comments: { legal: true, annotation: false, jsdoc: false } },
  plugins: [thirdPartyNotices("THIRD-PARTY-NOTICES.txt")],
});
