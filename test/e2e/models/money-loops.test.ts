/** The first list of loops, and loops of other kinds, end at default settings. */
import { describe } from "vitest";
import { LOOPS } from "../../fixtures/loops.ts";
import { OTHER_LOOPS } from "../../fixtures/loops-of-others.ts";
import { endsEach } from "../../fixtures/money.ts";

describe("a loop ends", () => endsEach({ ...LOOPS, ...OTHER_LOOPS }));
