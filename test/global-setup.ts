/** Runs once before the `system`, `platform` and `chaos` projects; what it starts for them (a PostgreSQL server), it also stops. */
import type { TestProject } from "vitest/node";
import { buildStoreWorker } from "./build-worker.ts";
import { removeOldHomes } from "./fixtures/home.ts";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a superuser, for tests to make schemas with. */
    postgresUrl: string;
    /** The program of `fixtures/children.ts`. Absent where faults are put into the source after the start. */
    storeWorker?: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeOldHomes();
  const [server, storeWorker] = await Promise.all([startPostgres(), buildStoreWorker()]);
  project.provide("postgresUrl", server.url);
  project.provide("storeWorker", storeWorker);
  return server.stop;
}
