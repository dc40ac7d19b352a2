/** A team at work in a required sandbox: it changes, tests and lands code, and the person is asked about the network only. */
import { realpathSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Step, scripted } from "../../../src/adapters/models/scripted.ts";
import { recruit } from "../../../src/core/board/recruit.ts";
import type { Event, FactType } from "../../../src/core/event.ts";
import { DEFAULT_SETTINGS } from "../../../src/core/settings/settings.ts";
import { openHost } from "../../../src/host/host.ts";
import type { Model } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { opening } from "../../fixtures/opening.ts";
import { ownHome } from "../../fixtures/own-home.ts";
import { repository } from "../../fixtures/repository.ts";

const FILES = {
  "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/sum.js": "export const sum = (a, b) => a - b;\n",
  "test/sum.test.js":
    'import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "../src/sum.js";\ntest("sum", () => assert.equal(sum(2, 3), 5));\n',
};
const say = (tool: string, input: object): Step => ({
  calls: [{ tool, input: { ...input } }],
});
const bash = (command: string): Step => say("bash", { command });

/** Each makes a change of its own, whatever task it has. */
const member = (name: string, ...more: Step[]): Step[] => [
  bash("git status --short; ls -la; cat src/sum.js; npm test"),
  bash("sed -i 's/a - b/a + b/' src/sum.js && npm test"),
  bash(
    `mkdir -p src/${name} && printf 'export const name = "${name}";\\n' > src/${name}/name.js && node -e 'import("./src/${name}/name.js").then((m) => console.log(m.name))'`,
  ),
  bash(
    `for f in src/*; do echo $f; done > list.${name}; git add -A && git -c user.name=m -c user.email=m@x commit -qm "${name}"`,
  ),
  ...more,
  say("complete_task", { result: "done" }),
  { text: "Noted.", times: "any" },
];

bubblewrapOrSkip(describe)("a team in a required sandbox", () => {
  it("lands what it made, and asks about nothing but the network", async () => {
    const repo = repository(FILES);
    const models = new Map([
      ["lead", scripted([{ text: "Noted.", times: "any" }], "lead")],
      ["alice", scripted(member("alice", bash("git ls-remote https://example.org/x.git")), "alice")],
      ["bob", scripted(member("bob"), "bob")],
      ["carol", scripted(member("carol"), "carol")],
    ]);
    const model: Model = {
      spec: "scripted",
      window: 1_000_000,
      reply: (request, options) => {
        const script = models.get(/^You are "([^"]+)"/.exec(opening(request))?.[1] ?? "");
        return script ? script.reply(request, options) : Promise.reject(new Error("no script"));
      },
    };
    const host = await openHost({
      settings: {
        ...DEFAULT_SETTINGS,
        ...{ model: "scripted", sandbox: "required", worktrees: true, exitCheck: false },
        ...{ gate: "npm test", teammates: ["alice", "bob", "carol"].map(recruit) },
        // Nobody answers.
        ...{ permissionsTo: "person" as const, permissionDeadlineMs: 500 },
      },
      cwd: realpathSync(repo.dir),
      env: { PATH: process.env.PATH, HOME: ownHome(), GIT_CONFIG_NOSYSTEM: "1" },
      openModel: () => Promise.resolve(model),
      interactive: false,
      trust: true,
    });
    onTestFinished(() => host.close());
    const facts = async <T extends FactType>(type: T): Promise<Extract<Event, { type: T }>[]> =>
      (await host.store.journal.read(host.store.journal.from(0), { types: [type], limit: 10_000 }))
        .events as never;
    await host.start({
      runbook: { goal: "Goal", tasks: ["One", "Two", "Three"].map((subject) => ({ subject })) },
    });
    const outcome = await host.done;
    const asked = await facts("permission.asked");
    expect(asked.map(({ subject }) => subject).filter((subject) => !subject.includes("example.org"))).toEqual(
      [],
    );
    expect(outcome, JSON.stringify(await facts("task.failed"))).toMatchObject({ completed: 3, failed: 0 });
    expect(await facts("task.landed")).toHaveLength(3);
    expect(repo.git("show", "main:src/sum.js")).toContain("a + b");
    for (const name of ["alice", "bob", "carol"])
      expect(repo.git("show", `main:src/${name}/name.js`)).toContain(name);
    expect(asked.length, "a question about the host").toBeGreaterThan(0);
  });
});
