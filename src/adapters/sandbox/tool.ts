/** The program that confines on this system, and the conditions of its proof. */
import { createHash } from "node:crypto";
import { release } from "node:os";
import { type Found, findProgram } from "./bubblewrap.ts";
import { SANDBOX_EXEC } from "./seatbelt.ts";
import { type Filters, seccompFilters } from "./seccomp.ts";
import { replacedFolders } from "./stage.ts";

export type Tool = {
  readonly name: "bubblewrap" | "seatbelt";
  readonly found: Found;
  readonly filter: Filters | null;
};
/** Raised with each change that makes old proofs worthless. */
const PROOF = 3;
const INSTALL = "Install bubblewrap (Debian, Ubuntu, Fedora, Arch: the package bubblewrap).";

/** One sentence where there is none. */
export function findTool(path: string | undefined, workspace: string): Tool | string {
  if (process.platform === "darwin") {
    const found = findProgram("sandbox-exec", "/usr/bin", [workspace]);
    return found === null ? `${SANDBOX_EXEC} is missing.` : { name: "seatbelt", found, filter: null };
  }
  if (process.platform !== "linux") return `there is none for ${process.platform}.`;
  const filter = seccompFilters(process.arch);
  if (filter === null) return `there is no system call filter for ${process.arch}.`;
  const found = findProgram("bwrap", path, [workspace, ...replacedFolders()]);
  return found === null ? `bubblewrap was not found. ${INSTALL}` : { name: "bubblewrap", found, filter };
}

/** Everything that a proof depends on. */
export function proofKey(tool: Tool): string {
  const hash = createHash("sha256");
  for (const part of [
    PROOF,
    tool.name,
    tool.found.path,
    tool.found.version,
    release(),
    process.arch,
    process.getuid?.() ?? "",
  ])
    hash.update(`${part}\0`);
  return hash
    .update(tool.filter?.closed ?? "")
    .digest("hex")
    .slice(0, 32);
}
