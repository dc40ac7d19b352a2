/** Runs before the `system`, `platform` and `chaos` projects: starts a PostgreSQL server and a browser for all of them, and stops them. */
import type { TestProject } from "vitest/node";
import { messageOf } from "../src/core/errors.ts";
import { shareBrowser } from "./browser.ts";
import { removeOldHomes } from "./fixtures/home.ts";
import { startPostgres } from "./postgres.ts";
import { buildPrograms, type Programs } from "./programs.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address for a superuser, with which tests make schemas. */
    postgresUrl: string;
    /** Where the address of the browser is: see `test/browser.ts`. */
    browser: string;
    /** Absent where faults are put into the source after the start. */
    programs?: Programs;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const root = project.vitest.getRootProject();
  if (root.getProvidedContext().postgresUrl !== undefined) return;
  removeOldHomes();
  const [server, browser, programs] = await Promise.all([
    startPostgres(),
    shareBrowser(),
    buildPrograms(),
  ]).catch((error: unknown) => {
    // To read the stack of an error of this file throws another one: "code.charCodeAt is not a function".
    console.error(`The tests cannot start. ${messageOf(error)}`);
    process.exit(1);
  });
  root.provide("postgresUrl", server.url);
  root.provide("browser", browser.url);
  root.provide("programs", programs);
  return async () => {
    await Promise.all([server.stop(), browser.stop()]);
  };
}
