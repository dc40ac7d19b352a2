/** A build plugin: copies the licence of every npm package whose code is in the bundle into one text file beside it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Rolldown } from "tsdown";

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
}

export function thirdPartyNotices(fileName: string): Rolldown.Plugin {
  return {
    name: "third-party-notices",
    generateBundle(_options, bundle) {
      const notices = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds) {
          const folder = packageFolder(id.replace(/^\0/, "").replace(/\?.*$/, ""));
          if (folder) notices.add(notice(folder));
        }
      }
      const source = [...notices].sort().join(`\n${"-".repeat(80)}\n\n`);
      if (source) this.emitFile({ type: "asset", fileName, source });
    },
  };
}

/** The nearest folder above with a versioned manifest: some packages nest a bare `{"type":"module"}` one. */
function packageFolder(id: string): string | undefined {
  if (!id.includes("/node_modules/")) return undefined;
  for (let folder = dirname(id); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && manifest(folder).version) return folder;
  }
  return undefined;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function notice(folder: string): string {
  const { name, version, license } = manifest(folder);
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|notice|copying)/i.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8").trim());
  const text = files.join("\n\n") || "The package carries no licence file.";
  return `${name} ${version} (${license ?? "see below"})\n\n${text}\n`;
}
