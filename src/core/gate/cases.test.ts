import { expect, it } from "vitest";
import { casesRun, isHollowRun } from "./cases.ts";

it.each([
  ["node", "# tests 12\n# suites 1\n# pass 10\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 1\n", 10],
  ["node, for people", "ℹ tests 3\nℹ pass 3\nℹ skipped 0\nℹ todo 0\n", 3],
  ["TAP", "TAP version 13\nok 1 - a\nok 2 - b # SKIP later\nok 3\n1..3\n", 2],
  ["vitest", "\x1b[2m Test Files \x1b[22m 2 passed (2)\n      Tests  11 passed | 2 skipped (13)\n", 11],
  [
    "jest",
    "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 4 passed, 5 total\nSnapshots:   0 total\n",
    4,
  ],
  ["pytest", "====== 12 passed, 1 skipped, 2 warnings in 0.03s ======\n", 12],
  ["pytest -q", "..\n2 passed in 0.01s\n", 2],
  ["pytest without tests", "no tests ran in 0.00s\n", 0],
  ["unittest", "Ran 5 tests in 0.001s\n\nOK (skipped=2)\n", 3],
  ["go test", "ok  \tp\t0.003s\nok  \tp/q\t(cached)\n?   \tp/r\t[no test files]\n", 2],
  [
    "go test -v",
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\nok  \tp\t0.003s\n",
    2,
  ],
  [
    "cargo",
    "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
    5,
  ],
  ["mocha", "\n  7 passing (12ms)\n  1 pending\n", 7],
  ["rspec", "4 examples, 0 failures, 1 pending\n", 3],
  ["minitest", "9 runs, 12 assertions, 0 failures, 0 errors, 2 skips\n", 7],
  ["phpunit", "OK (12 tests, 24 assertions)\n", 12],
  ["phpunit with skipped", "Tests: 12, Assertions: 20, Skipped: 2.\n", 10],
  [
    "surefire",
    "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\nTests run: 2, Failures: 0, Errors: 0, Skipped: 1\n",
    1,
  ],
  ["dotnet", "Passed!  - Failed:     0, Passed:     2, Skipped:     1, Total:     3, Duration: 3 ms\n", 2],
  ["ctest", "100% tests passed, 0 tests failed out of 6\n", 6],
  ["deno", "ok | 4 passed | 0 failed (3ms)\n", 4],
  ["two runners", "Ran 5 tests in 0.1s\n\nOK\n4 passed in 0.1s\n", 9],
  ["a build", "compiled 12 files in 3s\nall is well\n", null],
  ["nothing", "", null],
])("reads the number of cases: %s", (_runner, output, wanted) => {
  expect(casesRun(output)).toBe(wanted);
});

it("knows a run that judges nothing", () => {
  expect([isHollowRun(null, 1), isHollowRun(1, 3), isHollowRun(7, 14), isHollowRun(8, 14)]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
