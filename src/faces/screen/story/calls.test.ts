/** These tests check what calls the person, and what does not: everything that the terminal is sent. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../../test/fixtures/soon.ts";
import { takeAway } from "../../../../test/fixtures/take-away.ts";
import { Calls } from "./calls.ts";

const PLACE = { name: "shop", cwd: "/", env: { TERM: "xterm-256color", PATH: process.env.PATH } };

function opened(place: ConstructorParameters<typeof Calls>[0] = PLACE) {
  const sent: string[] = [];
  const calls = new Calls(place, (text) => void sent.push(text));
  return { calls, take: () => sent.splice(0) };
}
const ASKS = "bob wants to run bash";

it("rings, notifies and shows the count for each question that comes, not for one that goes", () => {
  const { calls, take } = opened();
  calls.waiting(1, ASKS);
  expect(take()).toEqual([
    "\x1b]9;Ekiden, shop: bob wants to run bash\x07\x07",
    "\x1b]2;(1) waits for you · shop · ekiden\x07",
  ]);
  calls.waiting(1, ASKS);
  expect(take()).toEqual([]);
  calls.waiting(0, "");
  expect(take()).toEqual(["\x1b]2;shop · ekiden\x07"]);
});

it("only changes the title while the person looks at the terminal", () => {
  const { calls, take } = opened();
  expect([calls.takes("\x1b[I"), calls.takes("x")]).toEqual([true, false]);
  calls.waiting(1, ASKS);
  expect(take()).toEqual(["\x1b]2;(1) waits for you · shop · ekiden\x07"]);
  calls.takes("\x1b[O");
  calls.waiting(2, ASKS);
  expect(take()).toHaveLength(2);
});

it("calls once when a long work has ended", () => {
  const { calls, take } = opened();
  calls.working(true, 0);
  calls.working(true, 14_000);
  calls.working(false, 14_999);
  expect(take()).toEqual(["\x1b]2;… shop · ekiden\x07", "\x1b]2;shop · ekiden\x07"]);
  calls.working(true, 20_000);
  calls.working(false, 35_000);
  calls.working(false, 99_000);
  expect(take()[1]).toBe("\x1b]9;Ekiden, shop: nobody works any more\x07\x07");
  expect(take()).toEqual([]);
});

it("passes nothing on that a terminal acts on, and knows what this terminal knows", () => {
  const { calls, take } = opened({ ...PLACE, name: "a\x1b]0;b;c\x07", env: { TERM: "foot" } });
  calls.waiting(1, "bob\n\x1b[31m;wants");
  expect(take()[0]).toBe("\x1b]777;notify;Ekiden;a: bob wants\x07\x07");
});

it("runs the command of the person instead, or nothing", async () => {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-calls-"));
  onTestFinished(() => takeAway(dir));
  const { calls, take } = opened({ ...PLACE, cwd: dir });
  calls.how = 'printf %s "$EKIDEN_NOTICE" > told; exit 3';
  calls.waiting(1, "bob wants `id`");
  await soon(() => expect(readFileSync(join(dir, "told"), "utf8")).toBe("shop: bob wants `id`"));
  expect(take()).toHaveLength(1);
  calls.how = "off";
  calls.waiting(2, ASKS);
  expect(take()).toEqual(["\x1b]2;(2) waits for you · shop · ekiden\x07"]);
});
