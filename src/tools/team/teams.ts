/** Tools for other teams in the same store. Each has its own board, mailboxes and members. */
import { z } from "zod";
import { checkText } from "../../core/board/mail.ts";
import { badInput, EkidenError } from "../../core/errors.ts";
import { fullName, LEAD, name, renaming } from "../../core/ids.ts";
import type { Tool } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";

export const createTeam = defineTool({
  name: "create_team",
  description: "Create another team, with a goal for its lead.",
  access: "team",
  input: () => z.strictObject({ name: text, goal: maybe.text }),
  subject: (input) => input.name,
  run: async ({ name: wanted, goal }, { store, self }) => {
    const team = name(wanted);
    if ((await store.teams()).includes(team))
      throw new EkidenError("name_taken", `There is a team "${team}" already. Choose another name.`);
    const text = goal === undefined ? null : checkText(goal);
    const other = await store.forTeam(team);
    try {
      if (text !== null)
        await other.mail.send(fullName(self, store.team), { to: LEAD, body: { kind: "note", text } });
    } finally {
      await other.close();
    }
    await store.journal.note([{ type: "team.created", team, by: self }]);
    return `Created team "${team}".${renaming(wanted, team)} It does not start by itself: tell the person, also in your final answer, to run: ekiden --team ${team} resume`;
  },
});

/** `onOwn`: the lead deletes its own team, which ends after this turn. */
export const deleteTeam = (onOwn: () => void): Tool =>
  defineTool({
    name: "delete_team",
    description:
      "Delete a team and all its data; your own as your last act. force: even with unfinished work.",
    access: "team",
    input: () => z.strictObject({ name: text, force: maybe.flag }),
    subject: (input) => input.name,
    run: async ({ name: wanted, force = false }, { store, self, rest }) => {
      const team = name(wanted);
      if (team !== store.team) {
        await store.removeTeam(team, self, force);
        return `Deleted team "${team}".`;
      }
      const { pending, inProgress } = await store.board.counts();
      if (pending + inProgress > 0 && !force)
        throw badInput(
          `Team "${team}" has ${pending + inProgress} unfinished tasks. Finish them, or call delete_team with force.`,
        );
      onOwn();
      rest("asked_to_idle");
      return `Team "${team}" ends now and is deleted.`;
    },
  });
