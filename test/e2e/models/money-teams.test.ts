/** Loops of talk, of teams and of work end at default settings. */
import { describe } from "vitest";
import { TALK_LOOPS } from "../../fixtures/loops-of-talk.ts";
import { TEAM_LOOPS } from "../../fixtures/loops-of-teams.ts";
import { WORK_LOOPS } from "../../fixtures/loops-of-work.ts";
import { endsEach } from "../../fixtures/money.ts";

describe("a loop ends", () => endsEach({ ...TALK_LOOPS, ...TEAM_LOOPS, ...WORK_LOOPS }));
