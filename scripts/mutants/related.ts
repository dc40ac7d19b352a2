/** Finds the tests that could notice a fault in a file: those that import it, the nearest first. Read from the import statements. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

export class Related {
  private readonly root: string;
  private readonly imports = new Map<string, readonly string[]>();
  /** By test: the files that it reaches, with the number of steps. */
  private readonly reached: ReadonlyMap<string, ReadonlyMap<string, number>>;

  constructor(root: string, tests: readonly string[]) {
    this.root = root;
    this.reached = new Map(tests.map((test) => [test, this.reach(test)]));
  }

  /** The tests of a file: its own, then by distance, then those that reach the least besides. */
  of(file: string): string[] {
    const own = file.replace(/\.ts$/, ".test.ts");
    return [...this.reached]
      .flatMap(([test, files]) => {
        const steps = files.get(file);
        return steps === undefined ? [] : [{ test, steps: test === own ? 0 : steps, size: files.size }];
      })
      .sort((a, b) => a.steps - b.steps || a.size - b.size)
      .map(({ test }) => test);
  }

  private reach(test: string): Map<string, number> {
    const steps = new Map([[test, 0]]);
    for (const [file, far] of steps) // a map yields what is added while it is read
      for (const next of this.importsOf(file)) if (!steps.has(next)) steps.set(next, far + 1);
    return steps;
  }

  private importsOf(file: string): readonly string[] {
    const known = this.imports.get(file);
    if (known) return known;
    const path = join(this.root, file);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const found = [...text.matchAll(IMPORT)].map(([, to = ""]) =>
      relative(this.root, join(dirname(path), to)),
    );
    this.imports.set(file, found);
    return found;
  }
}
