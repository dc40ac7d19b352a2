import { expect, it } from "vitest";
import { terminal } from "../../kit/terminal.ts";
import { GrowingMarkdown } from "./markdown.ts";
import { styleOf } from "./style.ts";

const plain = styleOf(terminal(process.stdout, { NO_COLOR: "1" }));

it("shows shell variables and prices as they were written", () => {
  const said = [
    "Set $build_dir:$out_dir and ${HOME}/$user_x/bin$ in $PATH.",
    "It costs $5_000 or $6 at least.",
    "$$a_b$$",
  ];
  const shown = new GrowingMarkdown(plain, said.join("\n\n")).render(80);
  expect(shown.filter((line) => line !== "")).toEqual(said);
});

it("draws the boxes of a task list outside of code", () => {
  const text = "- [ ] open\n- [x] done\n\n```\n- [ ] code\n```";
  const shown = new GrowingMarkdown(plain, text).render(40).map((line) => line.trim());
  expect(shown).toEqual(["- ☐ open", "- ☑ done", "", "```", "- [ ] code", "```"]);
});
