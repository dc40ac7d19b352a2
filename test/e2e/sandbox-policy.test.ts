/** The sandbox and the permission policy together: what runs unasked in it, and what may run once outside of it. */
import { existsSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer } from "../../src/apps/actions/answer.ts";
import { PERSON } from "../../src/core/ids.ts";
import { bubblewrapOrSkip } from "../fixtures/bubblewrap.ts";
import { type ProgramTeam, programTeam, resultsIn } from "../fixtures/program-team.ts";

const bash = (command: string) => ({ calls: [{ tool: "bash", input: { command } }] });
const done = { calls: [{ tool: "complete_task", input: { result: "ok" } }] };

async function team(command: string, settings: object): Promise<ProgramTeam> {
  const made = await programTeam({
    settings,
    says: { lead: [{ times: "any", text: "fine" }], alice: [bash(command), done, { text: "Done." }] },
  });
  await made.store.board.add({ subject: "Try" }, PERSON);
  await made.host.start({ goal: "Go" });
  return made;
}

bubblewrapOrSkip(describe)("in the sandbox", () => {
  it("runs a loop that only reads without a question, with the workspace read-only", async () => {
    const made = await team('for f in a b; do echo "$f"; done', {});
    await made.host.done;
    expect(resultsIn(made.requests("alice")[1])[0]).toBe("bash: a\nb");
    expect(await made.events("permission.asked")).toEqual([]);
  });

  it("asks once whether a command that the sandbox stopped may run outside", async () => {
    const target = join(homedir(), `ekiden-canary-${process.pid}`);
    onTestFinished(() => rmSync(target, { force: true }));
    const made = await team(`touch ${target}`, { allow: ["bash"], permissionsTo: "person" });
    await made.until("permission.asked");
    expect(existsSync(target)).toBe(false);
    const [request] = await made.store.requests.open({ kind: "permission" });
    expect(request?.ask).toMatchObject({
      tool: "bash outside the sandbox, once",
      subject: `touch ${target}`,
    });
    await answer(made.store, request?.id ?? "", "yes", "");
    await made.host.done;
    expect(existsSync(target)).toBe(true);
  });
});
