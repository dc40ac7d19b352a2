/** Runs once before the `system`, `platform` and `chaos` projects; what it starts for them (a PostgreSQL server), it also stops. */
import type { TestProject } from "vitest/node";
import { removeOldHomes } from "./fixtures/home.ts";
import { startPostgres } from "./postgres.ts";
import { buildPrograms, type Programs } from "./programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a superuser, for tests to make schemas with. */
    postgresUrl: string;
    /** Absent where faults are put into the source after the start. */
    programs?: Programs;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeOldHomes();
  const [server, programs] = await Promise.all([startPostgres(), buildPrograms()]);
  project.provide("postgresUrl", server.url);
  project.provide("programs", programs);
  return server.stop;
}
