import { expect, it } from "vitest";
import { widthsOf } from "./widths.ts";

it.each([
  ["bash(npm test)", ["bash(npm test *)"]],
  ["bash(npm test -- a.ts)", ["bash(npm test *)"]],
  ["bash(npm run build)", ["bash(npm run build *)"]],
  ["bash(git status --short)", ["bash(git status *)"]],
  ["bash(gh pr view 4)", ["bash(gh pr view *)"]],
  ["bash(tsc --noEmit)", ["bash(tsc *)"]],
  ["write_file(src/a/b.ts)", ["write_file(src/a/**)", "write_file(src/**)"]],
  ["edit_file(src/b.ts)", ["edit_file(src/**)"]],
])("%s may be wider: %j", (rule, wider) => {
  expect(widthsOf(rule)).toEqual([rule, ...wider]);
});

it.each([
  "bash(rm -r dist)",
  "bash(git push origin main)",
  "bash(npm publish)",
  "bash(git -C /etc log)",
  "bash(npm)",
  "bash(npm test && rm x)",
  "bash(npm test > out)",
  'bash(echo "a b")',
  "bash(./run.sh a)",
  "bash(python3 -c x)",
  "bash(A=1 npm test)",
  "bash(npm run)",
  "bash(uv run python -c x)",
  "bash(docker run -v /:/x image)",
  "write_file(a.txt)",
  "write_file(/etc/passwd)",
  "write_file(../x/a)",
  "network(example.com)",
  "web_fetch",
])("nothing wider is offered for %s", (rule) => {
  expect(widthsOf(rule)).toEqual([rule]);
});
