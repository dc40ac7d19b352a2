/**
 * The build. Imported packages are bundled and minified, because reading hundreds of small files is most of a cold start;
 * code splitting keeps every `import()` a file of its own, so a command loads only what it uses. `src/faces/entry/loader.ts` loads them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "tsdown";
import { asciiOnly } from "./scripts/ascii.ts";
import { libraryAsModule } from "./scripts/library.ts";
import { newStoreFile } from "./scripts/new-store.ts";
import { thirdPartyNotices } from "./scripts/notices.ts";
import { globalProcess } from "./scripts/process.ts";
import { settingsSchemaFile } from "./scripts/schema.ts";
import { NEW_STORE } from "./src/adapters/store/versions/new-store.ts";

// An import() of a file that others import anyway costs nothing, and which plug-in took longest is not news.
const checks = { ineffectiveDynamicImport: false, pluginTimings: false };
const common = {
  platform: "node",
  target: "node20",
  inputOptions: { checks },
} as const;

/** A file that has moved would be in another chunk, and each start would read more, without a word. @throws Error for one that is not there */
function files(...names: readonly string[]): RegExp {
  const gone = names.find((name) => !existsSync(join(import.meta.dirname, "src", `${name}.ts`)));
  if (gone) throw new Error(`tsdown.config.ts names src/${gone}.ts, which is not there.`);
  return new RegExp(`/src/(${names.join("|")})\\.ts$`);
}

// biome-ignore format: a list of names reads best as a block
const FIRST = [
  "faces/screen/draw/first-frame", "faces/commands/options", "faces/kit/alternate", "faces/kit/wanted", "core/tried", "core/permission/mode",
  "core/paths/paths",
];
// biome-ignore format: a list of names reads best as a block
const WORDS = [
  "core/errors", "core/ids", "core/lazy", "core/text/nearest", "core/text/zone", "core/board/task", "core/board/mail", "core/conversation/chat",
  "core/conversation/tags", "core/project/fences", "core/views/view", "core/views/sentence", "core/views/inbox", "project/open",
  "team/queries/journal", "adapters/clock", "faces/entry/failure", "faces/kit/invocation", "faces/kit/terminal", "faces/kit/print",
];

const RUN = ["faces/run/run-team", "faces/line/lines", "core/project/runbook", "adapters/process-table"];
const OF_HOST =
  /\/src\/(runtime(?!\/wraps\/run-check\.ts)|tools(?!\/team\/answer-review\.ts)|adapters\/(shell|jobs|disk|models(?!\/(runbook|scripted|whole-events)\.ts))|host(?!\/(worker|guests|hosted|checkpoints|forge)\/|\/(?:money\/judge|obey|gate-leak|workspaces\/(?:set-up|copy-packages|places))\.ts))\//;

const program = defineConfig({
  ...common,
  // CommonJS, because V8 keeps the code of scripts, and no public function of Node keeps that of ES modules before version 22.
  format: "cjs",
  // dist/package.json says that they are CommonJS.
  outExtensions: () => ({ js: ".js" }),
  entry: { main: "src/faces/entry/loader.ts", program: "src/faces/entry/main.ts", library: "src/index.ts" },
  dts: false,
  minify: true,
  deps: {
    // These are found on disk at run time: a program, a native addon, and what a thread of its own loads.
    neverBundle: ["@vscode/ripgrep", "@photostructure/sqlite", "turndown", "unpdf", /^node:/],
    onlyBundle: false,
  },
  // Packages that offer both forms are taken as ES modules: jsonc-parser's other one cannot be bundled, and only ES modules shake.
  inputOptions: { checks, resolve: { mainFields: ["module", "main"] } },
  outputOptions: {
    dynamicImportInCjs: false,
    comments: { legal: true, annotation: false, jsdoc: false },
    // Modules that are loaded together are in one file, because each file costs a start about half a millisecond. A group includes
    // the imports of its modules, unless a group above has them. So a heavy group may hold no module that a light command needs.
    codeSplitting: {
      groups: [
        // Loaded only where OpenTelemetry is configured.
        {
          name: "telemetry",
          priority: 6,
          test: /\/src\/((core|adapters)\/telemetry\/|host\/telemetry\.ts$)/,
        },
        // The modules that the first frame needs, and one that the group above would take otherwise.
        {
          name: "first",
          priority: 7,
          test: new RegExp(`/package\\.json$|${files(...FIRST).source}`),
        },
        {
          name: "words",
          priority: 5,
          test: files(...WORDS),
        },
        {
          name: "schemas",
          priority: 4,
          test: /\/node_modules\/zod\/v4\/(core|classic)\/(?!from-json|compat|iso)/,
        },
        {
          name: "settings",
          priority: 3,
          test: files("core/settings/settings", "core/settings/merge", "project/settings"),
        },
        { name: "views", priority: 2, test: /\/src\/core\/views\/(?!call-text)/ },
        {
          name: "store",
          priority: 1,
          test: /\/src\/adapters\/store\/(?!fork\/|forge\.|versions\/(?:backup|older)\.)/,
        },
        {
          name: "host",
          test: new RegExp(`${OF_HOST.source}|${files(...RUN).source}`),
        },
      ],
    },
  },
  plugins: [
    globalProcess(),
    libraryAsModule(),
    thirdPartyNotices("THIRD-PARTY-NOTICES.txt"),
    settingsSchemaFile("settings.schema.json"),
    newStoreFile(NEW_STORE),
    asciiOnly(),
  ],
});

/** In a pass of its own: the sources of the types would otherwise be in the program's chunks, 40 KB that each start reads. */
const types = defineConfig({
  ...common,
  format: "esm",
  entry: { index: "src/index.ts" },
  dts: { emitDtsOnly: true },
  clean: false,
});

export default [program, types];
