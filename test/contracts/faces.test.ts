/** One team at 50 moments of random lives, in every face: all show the same figures, those that follow facts and those that have just come. */
import { describe, expect, it } from "vitest";
import type { Outline } from "../../src/core/board/task.ts";
import type { FactType } from "../../src/core/event.ts";
import { LEAD, name } from "../../src/core/ids.ts";
import { countsOf } from "../../src/core/picture/looks.ts";
import { Picture } from "../../src/core/picture/picture.ts";
import { taskOf } from "../../src/core/picture/task.ts";
import { progressText } from "../../src/core/views/board.ts";
import { footerLines } from "../../src/faces/screen/draw/footer.ts";
import { styleOf } from "../../src/faces/screen/draw/style.ts";
import { boardPanel } from "../../src/faces/screen/panels/board.ts";
import { membersPanel } from "../../src/faces/screen/panels/members.ts";
import { TeamModel } from "../../src/faces/screen/story/team.ts";
import { teamState } from "../../src/faces/web/page/pure/board.ts";
import { snapshot } from "../../src/faces/web/read/snapshot.ts";
import type { Snapshot } from "../../src/faces/web/wire.ts";
import type { Cursor, Store } from "../../src/ports/index.ts";
import { board } from "../../src/team/queries/board.ts";
import { costs } from "../../src/team/queries/costs.ts";
import { FUZZ, randomFrom } from "../fixtures/fuzz.ts";
import { MATES, step } from "../fixtures/lives.ts";
import { BACKENDS, stage } from "../fixtures/stage.ts";

const MOMENTS = { sqlite: 50, postgres: 10 } as const;
/** Random lives of a team: in a single one no task may fail. */
const LIVES = { sqlite: 6, postgres: 1 } as const;
/** Whether a process lives is judged by the clock of the system, which is years ahead of the one of the lives. */
const LEASE_MS = 1e12;
/** Facts that the lives on SQLite must have. */
const FACTS: FactType[] = ["task.failed", "task.completed", "mail.delivered", "permission.asked"];
/** At most so many steps between two of them. */
const STEPS = 4;
const WIDTH = 160;
const term = {
  isTTY: true,
  colour: false,
  width: () => WIDTH,
  write: () => {},
  paint: (_: unknown, text: string) => text,
};
const style = styleOf(term);

/** The figures of a page: its picture, as it is drawn. */
function ofPicture(picture: Picture) {
  const members = [...picture.members.values()].map(
    ({ name, phase, task, unread, turns, inputTokens, outputTokens }) => ({
      ...{ name, phase, task, unread, turns },
      tokens: inputTokens + outputTokens,
    }),
  );
  const { tokens, usd } = picture.spent;
  const questions = [...picture.questions.list.map(({ id }) => id as string)].sort();
  return {
    counts: countsOf(picture),
    members: members.sort((a, b) => (a.name < b.name ? -1 : 1)),
    tokens,
    usd,
    questions,
  };
}

async function pageOf(store: Store): Promise<Picture> {
  const { tasks, members, questions } = JSON.parse(await snapshot(store, async () => [])) as Snapshot;
  return Picture.of((tasks as readonly Outline[]).map(taskOf), members, questions);
}

/** Of `ekiden tasks`, `team`, `cost` and `requests`. */
async function ofCommands(store: Store): Promise<ReturnType<typeof ofPicture>> {
  const { counts } = await board(store);
  const { all } = await costs(store);
  const members = (await store.roster.members()).map(
    ({ name, activity, task, unread, turns, inputTokens, outputTokens }) => ({
      ...{ name, phase: activity.phase, task, unread, turns },
      tokens: inputTokens + outputTokens,
    }),
  );
  const questions = (await store.requests.open()).map(({ id }) => id as string).sort();
  return {
    ...{ counts, questions, tokens: all.inputTokens + all.outputTokens, usd: all.usd },
    members: members.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

describe.each(BACKENDS)("all faces on %s", (backend) => {
  const at = stage(backend);

  const seen = new Set<FactType>();
  const lives = Array.from({ length: LIVES[backend] }, (_, nth) => nth + 1);
  it.each(lives)("show the same figures at every moment of life %i", { timeout: 300_000 }, async (nth) => {
    const random = randomFrom(FUZZ.seed + nth);
    const { store, lead, seats } = await at.crew(MATES, { leaseMs: LEASE_MS });
    const life = {
      store,
      clock: at.clock,
      lead,
      random,
      seats: new Map(seats.map((seat) => [seat.name, seat])),
    };
    const followed = await pageOf(store);
    const screen = await TeamModel.open(store, style, () => null);
    let cursor: Cursor = screen.cursor;
    for (let moment = 0; moment < MOMENTS[backend]; moment += 1) {
      for (let n = random(STEPS) + 1; n > 0; n -= 1) {
        await at.clock.advance(7);
        await step(life);
      }
      const page = await store.journal.read(cursor);
      cursor = page.cursor;
      for (const event of page.events) {
        seen.add(event.type);
        followed.apply(event);
        await screen.take(event);
      }
      const told = await ofCommands(store);
      const where = `moment ${moment}, after ${JSON.stringify(page.events)}`;
      expect(ofPicture(await pageOf(store)), `the first view of the page, ${where}`).toEqual(told);
      expect(ofPicture(followed), `the page that follows, ${where}`).toEqual(told);
      expect(ofPicture(screen.picture), `the screen, ${where}`).toEqual(told);

      const now = at.clock.now();
      const { counts } = told;
      const look = {
        width: WIDTH,
        now,
        began: now,
        notice: "",
        model: "",
        frame: "",
        stopKey: "",
        mode: null,
      };
      const footer = footerLines(screen, style, look).join("\n");
      if (counts.total > 0) expect(footer, where).toContain(`${counts.completed}/${counts.total} tasks`);
      const panels = { team: screen, store, style, now, place: { cwd: "/nowhere", env: {} } };
      const listed = await boardPanel.read(panels);
      expect(listed.rows, where).toHaveLength(counts.total);
      if (counts.total > 0) expect(listed.head?.(WIDTH), where).toContain(progressText(counts));
      expect((await membersPanel.read(panels)).rows, where).toHaveLength(told.members.length);
      const open = counts.pending + counts.inProgress;
      const { word } = teamState(followed);
      if (told.questions.length > 0) expect(word, where).toBe("Needs you");
      else expect(word, where).not.toBe(open > 0 ? "Finished" : "Needs you");
    }
    expect(screen.picture.members.get(LEAD)?.name).toBe(name("lead"));
  });

  if (backend === "sqlite")
    it("meet everything that changes a figure", () => {
      expect([...seen]).toEqual(expect.arrayContaining(FACTS));
    });
});
