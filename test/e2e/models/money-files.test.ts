/** Loops that write files, use git or look around end at default settings. */
import { describe } from "vitest";
import { FILE_LOOPS } from "../../fixtures/loops-of-files.ts";
import { GIT_LOOPS } from "../../fixtures/loops-of-git.ts";
import { GROWTH_LOOPS } from "../../fixtures/loops-of-growth.ts";
import { LOOK_LOOPS } from "../../fixtures/loops-of-looks.ts";
import { endsEach } from "../../fixtures/money.ts";

describe("a loop ends", () => endsEach({ ...FILE_LOOPS, ...GROWTH_LOOPS, ...GIT_LOOPS, ...LOOK_LOOPS }));
