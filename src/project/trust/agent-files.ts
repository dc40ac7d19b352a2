/**
 * The files by which a project steers agent programs of other vendors, as items of trust. They alone ask nothing, because most people start
 * no such program; one that is started does not see them before the person has agreed to them (`ekiden trust`).
 */
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesIn, PROJECT_FILE_MAX, readRegular } from "../../adapters/small-files.ts";
import { isWithin, relativeTo } from "../../core/paths/paths.ts";
import { steeringFiles } from "../../core/project/agent-files.ts";
import { tried } from "../../core/tried.ts";
import { repositoryOf, type TrustItem, trustItem } from "./items.ts";

/** More files are told apart by their sizes and times, so that a copy of them in a clone counts as another one. */
const FILES_MAX = 300;
const DEPTH_MAX = 8;
const TEXT_MAX = 2_000;

export type AgentFile = { readonly path: string; readonly item: TrustItem };

/** Those that an agent program finds in the folder and in those above it, up to the top of the project's repository. */
export function agentFilesIn(folder: string, project: string, names = steeringFiles(null)): AgentFile[] {
  const { top } = repositoryOf(project);
  const found: AgentFile[] = [];
  for (let at = folder; ; at = dirname(at)) {
    for (const name of names) {
      const item = itemOf(at, name, project);
      if (item !== null) found.push({ path: join(at, name), item });
    }
    if (at === top || !isWithin(top, at) || dirname(at) === at) return found;
  }
}

/** The digest does not tell where it is: what was agreed to in the project is the same in a clone. Null for what is not there. */
function itemOf(folder: string, name: string, project: string): TrustItem | null {
  const files = statOf(join(folder, name)) === null ? [] : filesBelow(folder, name);
  if (files.length === 0) return null;
  const isMany = files.length >= FILES_MAX;
  const texts = files.map((file) => (isMany ? stampOf(join(folder, file)) : textOf(join(folder, file))));
  const hashes = files.map((file, nth) => `${file}\0${hash(texts[nth] ?? "")}`);
  // Scripts of the project that they name.
  const named = texts.filter((_, nth) => SETTINGS.test(files[nth] ?? "")).join(" ");
  const { digest } = trustItem("", hashes.join("\0"), isMany ? "" : named, folder);
  const where = relativeTo(project, join(folder, name));
  const shown = files.map((file, nth) => shownFile(file.slice(name.length + 1) || name, texts[nth] ?? ""));
  const inOrder = [
    ...shown.filter((one) => one.includes(": ")),
    ...shown.filter((one) => !one.includes(": ")),
  ];
  const text = `${where}, which agent programs read: ${inOrder.join(", ")}`;
  return { id: `agent file ${where}`, text: text.slice(0, TEXT_MAX), digest };
}

/** With the text of settings. Values of variables are secrets more often than not. */
function shownFile(file: string, text: string): string {
  if (SETTINGS.test(file)) return `${file}: ${text}`;
  if (!file.endsWith(".env")) return file;
  return `${file}: ${[...text.matchAll(/^(?:export )?(\w+)=/gm)].map(([, key]) => key).join(" ")}`;
}
const SETTINGS = /\.(?:json|jsonc|toml)$/;

/** Files below a folder, and the name itself of a file; links are followed, as the programs do. */
function filesBelow(folder: string, name: string, depth = 0): string[] {
  if (statOf(join(folder, name))?.isDirectory() !== true) return [name];
  if (depth > DEPTH_MAX) return [name];
  const found: string[] = [];
  for (const entry of namesIn(join(folder, name)).sort()) {
    found.push(...filesBelow(folder, `${name}/${entry}`, depth + 1));
    if (found.length >= FILES_MAX) return found.slice(0, FILES_MAX);
  }
  return found;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const textOf = (path: string): string => tried(() => readRegular(path, PROJECT_FILE_MAX), stampOf(path));
const statOf = (path: string): Stats | null =>
  tried(() => statSync(path), null) ?? tried(() => lstatSync(path), null);
function stampOf(path: string): string {
  const about = statOf(path);
  const to = about?.isSymbolicLink() ? tried(() => readlinkSync(path), "") : "";
  return `${about?.size} bytes of ${about?.mtimeMs} ${to}`;
}
