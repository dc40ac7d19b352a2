/** A command that uses up the machine is ended, says which limit it was, and leaves nothing behind: as root and as another user. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { giveBack, ground, runAs, users } from "../../fixtures/other-user.ts";
import { soon } from "../../fixtures/soon.ts";

const processesIn = (workspace: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(workspace);
    } catch {
      return false;
    }
  });

bubblewrapOrSkip(describe)("limits of a confined command", () => {
  it.each(sampled(users, 2))("as %s", async (_, uid) => {
    const place = ground(uid);
    try {
      const args = [`${place.folder}/base/ws`, `${place.folder}/state`];
      const results = JSON.parse(await runAs(place, "limits-owner", args));
      const processes = {
        limit: expect.stringMatching(/more than 100 processes.*setting commandProcesses\]/),
      };
      const memory = {
        limit: expect.stringMatching(/400 MB of memory.*setting commandMemoryMb\]/),
        timedOut: false,
      };
      const file = { limit: expect.stringMatching(/10 MB.*setting commandFileMb\]/) };
      expect(results).toMatchObject({
        // The kernel would rather end a command than this process.
        harmless: { exitCode: 0, limit: null, output: "1000\ndone\n" },
        again: { output: "1000\n" },
        bomb: { ...processes, timedOut: false },
        spread: { ...processes, timedOut: false },
        ...{ memory, shared: memory, unnamed: memory, mapped: memory },
        together: { limit: null, output: "done\n" },
        ...{ file, prepared: file },
      });
      await soon(() => expect(processesIn(place.folder)).toEqual([]));
    } finally {
      giveBack(place);
    }
  });
});
