/** Runs once before the `system`, `platform` and `chaos` projects; what it starts for them (a PostgreSQL server), it also stops. */
import type { TestProject } from "vitest/node";
import { removeOldHomes } from "./fixtures/home.ts";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a superuser, for tests to make schemas with. */
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeOldHomes();
  const server = await startPostgres();
  project.provide("postgresUrl", server.url);
  return server.stop;
}
