/** The code that the built program reads and loads before its first request: a start is as long as that. Times are measured by the bench. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../../scripts/fresh.ts";

/** Writes what the program has read and loaded: instead of its first request, which ends it, or at its end. */
const LOADED = `
const fs = require("node:fs");
const { readFileSync } = fs;
const files = new Set();
fs.readFileSync = (path, ...how) => (files.add(String(path)), readFileSync(path, ...how));
const ended = () => fs.writeFileSync("loaded.json", JSON.stringify({ files: [...files], modules: process.moduleLoadList }));
`;
const AT_REQUEST = `${LOADED}
require("node:http").request = () => process.exit(ended());
`;
const AT_END = `${LOADED}
process.once("exit", ended);
`;

type Loaded = { readonly files: readonly string[]; readonly modules: readonly string[] };

function loaded(script: string, words: readonly string[], env: Readonly<Record<string, string>>): Loaded {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "script.cjs"), script);
  writeFileSync(join(folder, "board.md"), "# Go\n\n## Do it\n```sh\ntrue\n```\n");
  execFileSync(
    process.execPath,
    ["-r", "./script.cjs", join(ROOT, "dist/main.js"), "run", ...words, "--quiet"],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        // Others may have left a repository in the folder of all temporary files.
        GIT_CEILING_DIRECTORIES: realpathSync(tmpdir()),
        XDG_CONFIG_HOME: folder,
        EKIDEN_SANDBOX: "off",
        ...env,
      },
    },
  );
  return JSON.parse(readFileSync(join(folder, "loaded.json"), "utf8")) as Loaded;
}

it("reads no more than its first request needs", () => {
  const { files, modules } = loaded(AT_REQUEST, ["Say hello.", "--model", "anthropic/nobody"], {
    ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
  });
  const ours = files.filter((path) => path.startsWith(join(ROOT, "dist/")) && path.endsWith(".js"));
  const code = ours.filter((path) => !path.includes(".code"));
  expect(code.length).toBeGreaterThan(5);
  expect(code.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(1_011_000);
  // The client, the records and the decisions of a forge, which this project has not.
  const ofForge = /x-ratelimit-remaining|insert into forge_leads|it was reviewed in/;
  expect(code.filter((path) => ofForge.test(readFileSync(path, "utf8")))).toEqual([]);
  // Each of them is a millisecond of a start.
  const costly = ["perf_hooks", "cluster", "zlib", "readline", "worker_threads", "https", "inspector"];
  expect(costly.filter((name) => modules.includes(`NativeModule ${name}`))).toEqual([]);
});

it("runs the commands of a runbook without an HTTP client", () => {
  const { modules } = loaded(AT_END, ["board.md"], { OLLAMA_HOST: "127.0.0.1:9", EKIDEN_TRUST: "1" });
  const clients = ["http", "https", "internal/deps/undici/undici"];
  expect(clients.filter((name) => modules.includes(`NativeModule ${name}`))).toEqual([]);
});
