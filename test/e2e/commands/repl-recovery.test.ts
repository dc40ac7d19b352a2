/** A conversation survives a lead that failed: a wrong key, a refusal. The next thing that is said wakes it where it was. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

it("continues after its model has refused", async () => {
  const steps = [
    { fail: { code: "model_auth", message: "the key is wrong" } },
    { when: "and again", text: "Hello again." },
  ];
  project.write({ "script.json": JSON.stringify({ steps }) });
  const talk = project.start(["--model", `scripted:${join(project.dir, "script.json")}`]);
  let out = "";
  talk.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  const over = ended(talk);
  talk.stdin?.write("hello\n");
  await soon(() => expect(out).toContain("the key is wrong"));
  talk.stdin?.write("and again\n");
  await soon(() => expect(out).toContain("Hello again."));
  talk.stdin?.end();
  expect((await over).code).toBe(0);
});
