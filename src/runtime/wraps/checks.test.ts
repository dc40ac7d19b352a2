/** The checks of a member's work around its calls: commands after an edit, and the question at the exit. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, name, stage } from "../../../test/fixtures/stage.ts";
import { createShell } from "../../adapters/shell/index.ts";
import { ExitCheck } from "../../core/board/exit-check.ts";
import type { Seat } from "../../core/board/member.ts";
import { PERSON } from "../../core/ids.ts";
import type { Access, Effect, Store, Tool, ToolContext } from "../../ports/index.ts";
import { defineTool } from "../../tools/define.ts";
import { type Wrap, wrapped } from "../agent/call.ts";
import { checkedEdits } from "./edit-checks.ts";
import { checkedAtExit } from "./exit-check.ts";

const here = stage("sqlite");
let store: Store;
let seat: Seat;
let folder: string;
beforeEach(async () => {
  const crew = await here.crew(["alice"]);
  store = crew.store;
  seat = crew.seats[0] as Seat;
  folder = await realpath(await mkdtemp(join(tmpdir(), "ekiden-checks-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const toolOf = (access: Access, effect?: Effect): Tool =>
  defineTool({
    ...{ name: "do", description: "", access, ...(effect && { effect }) },
    input: () => z.object({ path: z.string().optional() }),
    ...(access === "write" && { writes: ({ path = "" }: { path?: string }) => [path] }),
    run: async () => "done",
  });

/** Calls through a wrap, as `alice` in a folder with a real shell. */
function calling(wrap: Wrap) {
  const shell = createShell({ outputDir: join(folder, "output") });
  onTestFinished(() => shell.close());
  const agent = agentOf(
    store,
    seat,
    here.clock,
    modelOf(() => ({})),
    { workspace: folder, shell },
  );
  const run = wrapped([wrap]);
  return (tool: Tool, input: object = {}): Promise<string> => {
    const ctx = {
      ...agent,
      self: name("alice"),
      signal: new AbortController().signal,
      currentTask: () => store.board.mine(name("alice")),
    } as unknown as ToolContext;
    const call = { type: "call", id: "c", tool: tool.name, input } as const;
    return run({ tool, call, input, access: tool.access, ctx }).catch((error: Error) => error.message);
  };
}

it("holds a completion back once after an edit without a command, and lets it pass after one", async () => {
  await store.board.add({ subject: "paint", description: "all of it" }, PERSON);
  const call = calling(checkedAtExit(new ExitCheck()));
  const [edit, command, complete] = [toolOf("write"), toolOf("exec"), toolOf("team", "completes")];
  expect(await call(complete)).toBe("done"); // it has no task: that is for the tool to say
  await claimed(store, seat);
  expect(await call(complete)).toBe("done");
  await call(edit, { path: "a.ts" });
  expect(await call(complete)).toMatch(/^Not completed yet [\s\S]*changed a\.ts\.[\s\S]*paint\nall of it/);
  expect(await call(complete)).toBe("done");
  await call(edit, { path: "b.ts" });
  await call(command);
  expect(await call(complete)).toBe("done");
});

it("brings back what the commands of the person say of an edit, for files that fit", async () => {
  const call = calling(
    checkedEdits({
      "*.ts": "echo type error >&2; exit 2",
      "src/**": "true",
      "*.long": "seq 1 20000; exit 1",
    }),
  );
  const edit = toolOf("write");
  expect(await call(edit, { path: "src/a.ts" })).toBe(
    "done\n[check `echo type error >&2; exit 2`: exit code 2]\ntype error\n[check `true`: ok]",
  );
  expect(await call(edit, { path: join(folder, "deep/b.ts") })).toContain("exit code 2");
  expect(await call(edit, { path: "a.md" })).toBe("done");
  expect(await call(toolOf("exec"), { path: "a.ts" })).toBe("done");
  expect((await call(edit, { path: "a.long" })).length).toBeLessThan(4_400);
});
