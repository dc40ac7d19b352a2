/** `ekiden web`: the page for all teams of the store, served until it is ended; or one run written as a file that replays. */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { jsonLine } from "../../core/text/hidden.ts";
import { withTeam } from "../../project/open.ts";
import type { Run } from "../commands/entry.ts";
import type { Invocation } from "../kit/invocation.ts";
import { interrupted, keepYoungSmall } from "../kit/run-guards.ts";
import { openPage, openTeams, readOptions, type WebOptions } from "../web/open-page.ts";
import { readPage } from "../web/page-files.ts";

export const run: Run<WebOptions & { readonly export?: string }> = async (call, _args, options) => {
  const { export: file } = options;
  if (file !== undefined) return await exportRun(call, file);
  const { readOnly } = readOptions(options);
  // A page that may act is where a first team is started.
  return await withTeam(call, readOnly ? "look" : "make", async (store) => {
    await keepYoungSmall();
    const server = await openPage(call, store, options);
    if (call.json) call.out.write(jsonLine({ address: server.address, readOnly }));
    else call.out.write(`${server.address}\n`);
    call.say("Ctrl-C ends the page; the teams continue.");
    await interrupted();
    await server.close();
    (await import("../web/launch.ts")).endWorkers();
    return 130;
  });
};

async function exportRun(call: Invocation, file: string): Promise<undefined> {
  await withTeam(call, "look", async (store) => {
    const { recordingPage } = await import("../web/read/recording.ts");
    const teams = await openTeams(call, store);
    try {
      const html = await recordingPage(await teams.team(store.team), await teams.overview(true), readPage());
      const path = resolve(call.cwd, file);
      writeFileSync(path, html);
      if (call.json) call.out.write(jsonLine({ file: path, bytes: Buffer.byteLength(html) }));
      else
        call.say(
          `wrote ${path}: open it in a browser, no server needed. It holds the conversations of the whole team.`,
        );
    } finally {
      await teams.close();
    }
  });
}
