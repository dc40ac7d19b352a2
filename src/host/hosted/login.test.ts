/** These tests check when a login may be used: what closes it, for how long, and who tries first afterwards. */
import { expect, it } from "vitest";
import { soon } from "../../../test/fixtures/soon.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import { instant } from "../../core/ids.ts";
import type { Notice } from "../../core/limits/window.ts";
import { Login } from "./login.ts";

const here = stage("sqlite");
const LIMIT = "You've hit your session limit · resets";
const [ann, bob] = [{ who: "ann" }, { who: "bob" }];
const at = (ms: number): string => new Date(here.clock.now() + ms).toISOString();

async function open(program = "claude", login = ""): Promise<Login> {
  const store = await here.open();
  const made = new Login({ store, clock: here.clock, program, login, machine: "box" });
  await made.open();
  return made;
}
/** "go", "try", or the milliseconds for which the member has to rest. */
const enters = (login: Login, who: object): unknown => {
  try {
    return login.enter(who);
  } catch (error) {
    return Number((error as { details: { until: number } }).details.until) - here.clock.now();
  }
};
const event = (more: Partial<Notice>): Notice => ({ kind: "5h", usedPercent: 100, source: "event", ...more });

it("asks once more after words alone, then is closed for all until the reset", async () => {
  const login = await open();
  expect(login.heard(["I did it."], ann)).toBeNull();
  expect(login.heard([`${LIMIT} ${at(600_500)}`], ann)?.details).toMatchObject({ again: true });
  expect(enters(login, ann)).toBe("go");
  expect(login.heard(["line", `${LIMIT} ${at(600_500)}`], ann)?.details.until).toBe(
    here.clock.now() + 605_500,
  );
  expect([ann, bob].map((who) => enters(login, who))).toEqual([605_500, 605_500]);
  // A prompt that was on its way shows nothing by what it does, and ends in the same way, whatever its words.
  login.worked(bob);
  expect(enters(login, bob)).toBe(605_500);
  expect(login.heard(["Nothing."], bob)?.details.until).toBe(here.clock.now() + 605_500);
});

it("takes a false notice for none once a call succeeded", async () => {
  const login = await open();
  login.heard([`${LIMIT} ${at(600_500)}`], ann);
  login.worked(ann);
  expect(login.heard([`${LIMIT} ${at(600_500)}`], ann)?.details).toMatchObject({ again: true });
});

it("lets one member try after the reset; the others follow when it worked", async () => {
  const login = await open();
  login.used([event({ resetsAt: instant(Math.ceil(here.clock.now() / 60_000) * 60_000 + 60_000) })]);
  const rest = Number(enters(login, ann));
  here.clock.stall(rest - 1);
  expect(enters(login, bob)).toBe(1);
  here.clock.stall(1);
  expect(enters(login, bob)).toBe("try");
  expect(enters(login, bob)).toBe("try");
  expect(enters(login, ann)).toBe(5_000);
  login.left(bob); // its process was ended
  expect(enters(login, ann)).toBe("try");
  login.worked(ann);
  expect([ann, bob].map((who) => enters(login, who))).toEqual(["go", "go"]);
});

it("waits longer each time where nobody says when it ends, or the notice stays", async () => {
  const login = await open("codex");
  const rests = [];
  login.heard(["You've hit your usage limit."], ann);
  for (let nth = 0; nth < 7; nth += 1) {
    login.heard(["You've hit your usage limit."], ann);
    rests.push(Number(enters(login, ann)) / 60_000);
    here.clock.stall(Number(enters(login, ann)));
    expect(enters(login, ann)).toBe("try");
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 30, 30]);
});

it("waits for a reset that an earlier process has heard of, and not for that of another login", async () => {
  const login = await open("claude", "KEY");
  login.used([event({ resetsAt: instant(here.clock.now() + 3_600_500) })]);
  await soon(async () => expect(enters(await open("claude", "KEY"), ann)).toBe(3_605_500));
  expect(enters(await open("claude", "OTHER"), ann)).toBe("go");
  here.clock.stall(4_000_000);
  expect(enters(await open("claude", "KEY"), ann)).toBe("go");
});
