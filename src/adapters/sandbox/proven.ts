/** What was proven on this machine, in a file of the person's. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Keeps what was proven, by everything that it depends on. A failure is not kept: the next start tries again. */
export class ProvenKeys {
  private readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "sandbox.json");
  }

  has(key: string): boolean {
    return this.read().includes(key);
  }

  add(key: string): void {
    try {
      mkdirSync(join(this.path, ".."), { recursive: true, mode: 0o700 });
      writeFileSync(
        this.path,
        `${JSON.stringify({ proven: [...new Set([key, ...this.read()])].slice(0, 20) }, null, 2)}\n`,
        {
          mode: 0o600,
        },
      );
    } catch {
      // proven again at the next start
    }
  }

  private read(): string[] {
    try {
      const { proven } = JSON.parse(readFileSync(this.path, "utf8")) as { proven: unknown };
      return Array.isArray(proven) ? proven.map(String) : [];
    } catch {
      return [];
    }
  }
}
