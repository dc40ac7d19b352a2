import { expect, it } from "vitest";
import { asTaskId, LEAD, type Name } from "../ids.ts";
import { untakenWords } from "./untaken.ts";

const lead = { name: LEAD, role: "designer" };
const bob = { name: "bob" as Name, role: "Tester" };
const task = { id: asTaskId(3), subject: "Draw", role: null };

it.each([
  [task, [lead, bob], null],
  [
    task,
    [lead],
    "#3 Draw: there is no teammate. To add one: ekiden resume --teammates 1, or ekiden spawn NAME while the team runs.",
  ],
  [{ ...task, role: "tester" }, [lead, bob], null],
  [
    { ...task, role: "designer" },
    [lead, bob],
    "#3 Draw: it is for the role designer, which no member has. To add a member with it: ekiden resume --teammate NAME:designer. To let anybody take it: ekiden edit 3 --role any.",
  ],
  [{ ...task, role: "ui designer" }, [lead, bob], /--teammate NAME:'ui designer'/],
  [{ ...task, assignee: "bob" as Name }, [lead, bob], null],
  [
    { ...task, assignee: "ann" as Name },
    [lead, bob],
    /kept for ann, which is not in the team\. .* ekiden edit 3 --assign any/,
  ],
])("says of %j what it lacks", (one, members, words) => {
  const said = untakenWords(one, members);
  if (words instanceof RegExp) expect(said).toMatch(words);
  else expect(said).toBe(words);
});
