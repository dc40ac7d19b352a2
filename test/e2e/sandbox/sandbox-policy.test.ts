/** The sandbox and the permission policy together: what runs unasked in it, and what is asked about: the ways out. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { personalFile } from "../../../src/project/own-folders.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type ProgramTeam, programTeam, resultsIn } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const bash = (command: string) => ({ calls: [{ tool: "bash", input: { command } }] });
const done = { calls: [{ tool: "complete_task", input: { result: "ok" } }] };

/** alice runs these lines, one a turn. Questions go to the person, in any terminal. */
async function team(commands: readonly string[], settings: object): Promise<ProgramTeam> {
  const made = await programTeam({
    settings: { confinedCommands: "run", permissionsTo: "person", ...settings },
    says: {
      lead: [{ times: "any", text: "fine" }],
      alice: [...commands.map(bash), done, { text: "Done." }],
    },
  });
  await made.store.board.add({ subject: "Try" }, PERSON);
  await made.host.start({ goal: "Go" });
  return made;
}
const resultOf = (made: ProgramTeam, call: number): string | undefined =>
  resultsIn(made.requests("alice")[call])[call - 1];
async function question(made: ProgramTeam) {
  await soon(async () => expect(await made.store.requests.open({ kind: "permission" })).toHaveLength(1));
  const [request] = await made.store.requests.open({ kind: "permission" });
  if (request?.ask.kind !== "permission") throw new Error("no question is open");
  return { id: request.id, ...request.ask };
}

/** A canary in the home folder, which is outside of every sandbox. Removed after the test. */
function canary(): string {
  const path = join(homedir(), `ekiden-canary-${process.pid}`);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

bubblewrapOrSkip(describe)("in the sandbox", () => {
  it.each(["default", "accept-edits", "bypass"] as const)("mode %s runs commands unasked", async (mode) => {
    const made = await team(
      ["for f in a b; do echo $f > $f; done; sh -c 'cat a b'", "make x || echo y > y"],
      {
        permissionMode: mode,
      },
    );
    await made.host.done;
    expect(resultOf(made, 1)).toBe("bash: a\nb");
    expect(existsSync(join(made.folder, "y"))).toBe(true);
    expect(await made.events("permission.asked")).toEqual([]);
  });

  it("a model that chooses a block of a foreign task itself is not asked about it", async () => {
    const made = await programTeam({
      settings: { confinedCommands: "run", permissionsTo: "person" },
      says: { lead: [{ times: "any", text: "fine" }], alice: [bash("touch a"), done, { text: "Done." }] },
    });
    await made.store.board.add({ subject: "Try", description: "```sh\ntouch a\n```" }, PERSON);
    await made.host.start({ goal: "Go" });
    await made.host.done;
    expect(existsSync(join(made.folder, "a"))).toBe(true);
    expect(await made.events("permission.asked")).toEqual([]);
  });

  it("mode plan runs them with a read-only workspace, also a background command", async () => {
    const job = { calls: [{ tool: "bash", input: { command: "echo x > x", run_in_background: true } }] };
    const made = await programTeam({
      settings: { confinedCommands: "run", permissionMode: "plan" },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [bash("sh -c 'echo hello; echo x > x'"), job, done, { text: "Done." }],
      },
    });
    await made.store.board.add({ subject: "Try" }, PERSON);
    await made.host.start({ goal: "Go" });
    await made.host.done;
    expect(resultOf(made, 1)).toContain("hello");
    expect(resultOf(made, 1)).toContain("runs with a read-only workspace");
    expect(resultsIn(made.requests("alice")[2])[1]).toContain("Started");
    expect(existsSync(join(made.folder, "x"))).toBe(false);
  });

  it("asks before a line uses a path outside, and opens that path with yes", async () => {
    const folder = canary();
    mkdirSync(folder);
    const made = await team([`sh -c 'echo x > ${folder}/a'`, `echo y > ${folder}/b`], {});
    const asked = await question(made);
    expect(asked).toMatchObject({ tool: "bash", rule: `write_file(${folder}/**)` });
    expect(asked.why).toContain(`it uses "${folder}/a", which is outside of the workspace`);
    await answer(made.store, asked.id, "always", "");
    await made.host.done;
    expect([existsSync(join(folder, "a")), existsSync(join(folder, "b"))]).toEqual([true, true]);
    expect(await made.events("permission.asked")).toHaveLength(1);
  });

  it("runs a line outside once, where its path cannot be opened; a protected file is asked about, too", async () => {
    const path = canary();
    const made = await team([`touch ${path}`, "echo x > .envrc"], {});
    const first = await question(made);
    expect(first.tool).toBe("bash outside the sandbox, once");
    await answer(made.store, first.id, "yes", "");
    await soon(async () => expect((await question(made)).id).not.toBe(first.id));
    const second = await question(made);
    expect(second.why).toContain(".envrc decides what runs later");
    await answer(made.store, second.id, "no", "");
    await made.host.done;
    expect([existsSync(path), existsSync(join(made.folder, ".envrc"))]).toEqual([true, false]);
  });

  it("says what stopped a command, and asks when it is called again at once", async () => {
    const path = canary();
    const hidden = `node -e 'fs.writeFileSync(os.homedir()+"/${path.split("/").at(-1)}","")'`;
    const made = await team([hidden, hidden], {});
    const { id, tool, why } = await question(made);
    expect(resultOf(made, 1)).toContain(`${path} is read-only for commands`);
    expect(resultOf(made, 1)).toContain("call it again unchanged");
    expect([tool, why]).toEqual(["bash outside the sandbox, once", expect.stringContaining(path)]);
    await answer(made.store, id, "yes", "");
    await made.host.done;
    expect(existsSync(path)).toBe(true);
  });

  it("asks about a host that it was refused, once or always, and runs the line again", async () => {
    const server = createServer((_, response) => response.end("from the host"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const host = `localhost:${(server.address() as AddressInfo).port}`;
    const get = `node -e 'const p=new URL(process.env.HTTP_PROXY);require("http").get({host:p.hostname,port:p.port,path:"http://${host}/"},r=>{r.pipe(process.stdout);process.exitCode=r.statusCode===200?0:1})'`;
    const made = await team([get, get, get, get], { allow: ["network(listed.example.org)"] });
    for (const [word, before] of [
      ["yes", 1],
      ["no", 2],
    ] as const) {
      const { id, tool, why, rule } = await question(made);
      expect([tool, rule]).toEqual(["bash", `network(${host})`]);
      expect(why).toContain(`it needs the host ${host}`);
      expect(await made.events("permission.asked")).toHaveLength(before);
      await answer(made.store, id, word, "");
      await soon(async () => expect(await made.events("permission.answered")).toHaveLength(before));
    }
    await made.host.done;
    expect(resultOf(made, 1)).toBe("bash: from the host");
    expect(resultOf(made, 2)).toContain(`The rule that would allow it: allow network(${host})`);
    // A no holds for the run.
    expect(await made.events("permission.asked")).toHaveLength(2);
  });

  it("always: the host is open to every command from then on", async () => {
    const fails = `test -n "$HTTP_PROXY" || { echo "curl: (6) Could not resolve host: a.example.org"; exit 6; }`;
    const made = await team([fails, fails], {});
    await answer(made.store, (await question(made)).id, "always", "");
    await made.host.done;
    expect([resultOf(made, 1), resultOf(made, 2)]).toEqual(["bash: (no output)", "bash: (no output)"]);
    expect(readFileSync(personalFile(made.folder), "utf8")).toContain("network(a.example.org)");
  });

  it("confinedCommands: ask brings the old questions back; deny and ask rules hold always", async () => {
    const made = await team(["touch a"], { confinedCommands: "ask" });
    await answer(made.store, (await question(made)).id, "no", "");
    await made.host.done;
    const other = await team(["touch b", "touch c"], { deny: ["bash(touch b)"], ask: ["bash(touch c)"] });
    await answer(other.store, (await question(other)).id, "no", "");
    await other.host.done;
    expect(["a", "b", "c"].filter((name) => existsSync(join(other.folder, name)))).toEqual([]);
    expect(resultOf(other, 1)).toContain("the rule deny bash(touch b) says so");
  });
});
