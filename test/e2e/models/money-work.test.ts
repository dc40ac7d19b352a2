/** Long honest work is not stopped at default settings. */
import { describe } from "vitest";
import { HONEST } from "../../fixtures/long-work.ts";
import { letsEachEnd } from "../../fixtures/money.ts";
import { MORE_LONG_WORK } from "../../fixtures/more-long-work.ts";
import { OTHER_LONG_WORK } from "../../fixtures/other-long-work.ts";
import { TEAMS } from "../../fixtures/teams-at-work.ts";

describe("long work is not stopped", () =>
  letsEachEnd({ ...HONEST, ...MORE_LONG_WORK, ...OTHER_LONG_WORK, ...TEAMS }));
