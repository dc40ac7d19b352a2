/** The code that the built program reads and loads before its first request: a start is as long as that. Times are measured by the bench. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../../scripts/fresh.ts";

/** Ends the program in the place of its first request, and writes what it has read and loaded by then. */
const AT_REQUEST = `
const fs = require("node:fs");
const { readFileSync } = fs;
const files = new Set();
fs.readFileSync = (path, ...how) => (files.add(String(path)), readFileSync(path, ...how));
require("node:http").request = () => {
  fs.writeFileSync("loaded.json", JSON.stringify({ files: [...files], modules: process.moduleLoadList }));
  process.exit(0);
};
`;

it("reads no more than its first request needs", () => {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "at-request.cjs"), AT_REQUEST);
  const words = ["run", "Say hello.", "--model", "anthropic/nobody", "--quiet"];
  execFileSync(process.execPath, ["-r", "./at-request.cjs", join(ROOT, "dist/main.js"), ...words], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH ?? "", HOME: folder, XDG_CONFIG_HOME: folder },
      ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    },
  });
  const { files, modules } = JSON.parse(readFileSync(join(folder, "loaded.json"), "utf8")) as {
    readonly files: readonly string[];
    readonly modules: readonly string[];
  };
  const ours = files.filter((path) => path.startsWith(join(ROOT, "dist/")) && path.endsWith(".js"));
  const code = ours.filter((path) => !path.includes(".code"));
  expect(code.length).toBeGreaterThan(5);
  expect(code.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(900_000);
  // Each of them is a millisecond of a start.
  const costly = ["perf_hooks", "cluster", "zlib", "readline", "worker_threads", "https", "inspector"];
  expect(costly.filter((name) => modules.includes(`NativeModule ${name}`))).toEqual([]);
});
