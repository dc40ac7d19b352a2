/** The findings of earlier runs about the test files: how long each takes and which faults it passes. Kept in a file. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "./switch.ts";

/** `passes`: by source file, as it was, the positions of the faults whose switch the test file passes. */
type Entry = {
  readonly digest: string;
  readonly ms: number;
  readonly passes: Record<string, readonly number[]>;
};

export class Known {
  private readonly root: string;
  private readonly path: string;
  private readonly entries: Record<string, Entry>;
  private readonly faults: readonly Fault[];
  private readonly keys: ReadonlyMap<string, string>;
  private readonly sets = new Map<readonly number[], ReadonlySet<number>>();
  private readonly digests = new Map<string, string>();

  /** `faults`: all faults that have a switch. */
  constructor(root: string, path: string, faults: readonly Fault[]) {
    this.root = root;
    this.path = path;
    this.entries = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    this.faults = faults;
    const files = new Set(faults.map(({ file }) => file));
    this.keys = new Map([...files].map((file) => [file, `${file}:${this.digestOf(file)}`]));
  }

  timeOf(test: string): number | undefined {
    return this.entries[test]?.ms;
  }

  /** Whether the test file, as it is, was seen with all these source files as they are. */
  isNoted(test: string): boolean {
    const entry = this.entries[test];
    return (
      entry?.digest === this.digestOf(test) && [...this.keys.values()].every((key) => key in entry.passes)
    );
  }

  /** False when the test file, as it is, did not pass the switch of the fault in this source file, as it is. */
  mayPass(test: string, fault: Fault): boolean {
    const entry = this.entries[test];
    const passes = entry?.passes[this.keys.get(fault.file) ?? ""];
    if (passes === undefined || entry?.digest !== this.digestOf(test)) return true;
    const set = this.sets.get(passes) ?? new Set(passes);
    this.sets.set(passes, set);
    return set.has(fault.start);
  }

  note(test: string, ms: number, ids: readonly number[]): void {
    const digest = this.digestOf(test);
    const old = this.entries[test];
    const passes: Record<string, number[]> = {};
    for (const key of this.keys.values()) passes[key] = [];
    const byId = new Map(this.faults.map((fault) => [fault.id, fault]));
    for (const id of ids) {
      const fault = byId.get(id);
      if (fault) passes[this.keys.get(fault.file) ?? ""]?.push(fault.start);
    }
    this.entries[test] = { digest, ms, passes: { ...(old?.digest === digest ? old.passes : {}), ...passes } };
    writeFileSync(this.path, JSON.stringify(this.entries));
  }

  private digestOf(file: string): string {
    const known = this.digests.get(file);
    if (known) return known;
    const text = readFileSync(join(this.root, file));
    const digest = createHash("sha256").update(text).digest("base64url").slice(0, 12);
    this.digests.set(file, digest);
    return digest;
  }
}
