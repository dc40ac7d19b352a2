import { expect, it } from "vitest";
import { stage } from "../../../test/fixtures/stage.ts";
import { UNDOS_MAX } from "../../team/plan/edit.ts";
import { isEdited, keepEdit, takeEditBack } from "./plan-edits.ts";

const { open } = stage("sqlite");

it("keeps the last edits of a plan, and no more of them than it says", async () => {
  const store = await open();
  expect(isEdited(store)).toBe(false);
  for (let nth = 1; nth <= UNDOS_MAX + 50; nth += 1)
    keepEdit(store, () => Promise.resolve({ data: null, text: `edit ${nth}` }));
  for (let nth = UNDOS_MAX + 50; isEdited(store); nth -= 1)
    expect((await takeEditBack(store)).text).toBe(`taken back: edit ${nth}`);
  await expect(takeEditBack(store)).rejects.toThrow("no edit of this list");
});
