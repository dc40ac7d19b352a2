/** The teams of this person as sessions that an editor can open again. */
import type { SessionInfo } from "@agentclientprotocol/sdk";
import { tagsIn } from "../../core/conversation/tags.ts";
import { badInput } from "../../core/errors.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { oneLine } from "../../core/text/one-line.ts";
import type { Store } from "../../ports/index.ts";
import { forgetTeam, type KnownTeam } from "../../project/known-teams.ts";
import { withTeam } from "../../project/open.ts";
import { placeOf } from "../../team/queries/all-teams.ts";

const TITLE_MAX = 80;
/** The first words of the person are among so many first entries. */
const LOOKED_AT = 20;

/** Null for a team that cannot be read, or has no lead to talk to. */
export async function sessionInfo(
  known: KnownTeam,
  sessionId: string,
  env: NodeJS.ProcessEnv,
): Promise<SessionInfo | null> {
  const { cwd, team, file } = known;
  if (file === null) return { sessionId, cwd, title: `${team} (on a server)` };
  const read = async (store: Store): Promise<SessionInfo | null> => {
    const lead = await store.roster.member(LEAD);
    if (!lead) return null;
    const title = (await firstWords(store)) ?? team;
    return {
      sessionId,
      cwd,
      title: oneLine(title, TITLE_MAX),
      updatedAt: new Date(lead.since).toISOString(),
    };
  };
  return await withTeam(placeOf(known, env), "look", read).catch(() => null);
}

/** A click must not delete unfinished work. @throws EkidenError `bad_input` for a team that somebody runs, or with unfinished tasks */
export async function deleteTeam(known: KnownTeam, env: NodeJS.ProcessEnv): Promise<void> {
  const { team, file } = known;
  const byHand = `ekiden teams delete ${team} --force`;
  if (file === null) throw badInput(`Team "${team}" is on a server. In its folder: ${byHand}`);
  await withTeam(placeOf(known, env), "use", async (store) => {
    const { pending, inProgress } = await store.board.counts();
    const open = pending + inProgress;
    if (open > 0)
      throw badInput(
        `Team "${team}" still has ${open === 1 ? "an unfinished task" : `${open} unfinished tasks`}. Nothing was deleted. Finish it, or force the deletion: ${byHand}`,
      );
    await store.removeTeam(team, PERSON, true);
  });
  forgetTeam(known);
}

async function firstWords({ transcript }: Store): Promise<string | null> {
  for (const { entry } of await transcript.all(LEAD, 0, LOOKED_AT))
    if (entry.kind === "heard")
      for (const { tag, attributes, content } of tagsIn(entry.text))
        if (tag === "mail" && attributes.from === PERSON) return content;
  return null;
}
