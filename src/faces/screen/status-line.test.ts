import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { processesOf } from "../../adapters/process-table.ts";
import { StatusLine } from "./status-line.ts";

function line(command: string): StatusLine {
  const env = { PATH: process.env.PATH, STATUS_TEST: "here" };
  const made = new StatusLine({ cwd: "/", env, changed: () => {} });
  made.command = command;
  onTestFinished(() => made.close());
  return made;
}

it("shows the first line that a command prints, which reads the state as JSON", async () => {
  const status = line("read x; printf '\\033[31m%s\\033[0m\\nsecond\\n' \"$x\"");
  status.tick(() => ({ team: "a" }));
  await soon(() => expect(status.text).toBe('{"team":"a"}'));
});

it("ends a command that hangs, with all that it has started, and says so", async () => {
  const status = line("sleep 777 & sleep 778");
  status.tick(() => ({}));
  status.tick(() => ({}), Date.now() + 60_000);
  expect(processesOf("STATUS_TEST=here\0").length).toBeLessThan(4);
  await soon(() => expect(status.text).toBe("status line: no end after 2 s"));
  await soon(() => expect(processesOf("STATUS_TEST=here\0")).toEqual([]));
});

it.each([
  ["exit 3", "status line: exit code 3"],
  ["yes", "status line: no end after 2 s"],
  ["no-such-program", "status line: exit code 127"],
])("survives %s", async (command, text) => {
  const status = line(command);
  status.tick(() => ({ x: "y".repeat(100_000) }));
  await soon(() => expect(status.text).toBe(text));
});
