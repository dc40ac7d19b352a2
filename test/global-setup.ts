/** Runs once before the `system`, `platform` and `chaos` projects; it also stops the PostgreSQL server that it starts for them. */
import type { TestProject } from "vitest/node";
import { removeOldHomes } from "./fixtures/home.ts";
import { startPostgres } from "./postgres.ts";
import { buildPrograms, type Programs } from "./programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address for a superuser, with which tests make schemas. */
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
