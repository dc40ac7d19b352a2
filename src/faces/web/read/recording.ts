/** A run as one HTML file that replays without a server: the page, its script and style, and the answers to all it may ask. */
import { createHash } from "node:crypto";
import { systemClock } from "../../../adapters/clock.ts";
import { toolFailed } from "../../../core/errors.ts";
import type { Event } from "../../../core/event.ts";
import type { Store } from "../../../ports/index.ts";
import { notes } from "../../../team/queries/notes.ts";
import type { PageFiles } from "../page-files.ts";
import type { TeamPage } from "../teams.ts";
import type { ConversationPage, FactPage, Overview, Recording, Snapshot } from "../wire.ts";
import { timeline } from "./journal-pages.ts";

/** Facts of a run that is recorded whole; a longer one is recorded without turns and calls. */
const FACTS_MAX = 100_000;

export async function recordingPage(team: TeamPage, overview: Overview, page: PageFiles): Promise<string> {
  const recording = await record(team, overview);
  const script = inline(page, /\.js$/);
  const style = inline(page, /\.css$/);
  // The texts of agents are data in the file, never markup: "<" cannot end the element around them.
  const data = JSON.stringify(recording).replaceAll("<", "\\u003c");
  const code = script.replaceAll("</script", "<\\/script");
  const policy = `default-src 'none'; script-src ${hash(code)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Ekiden</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="recording">${data}</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

async function record(team: TeamPage, overview: Overview): Promise<Recording> {
  const { store } = team;
  const answers: Record<string, unknown> = {
    teams: {
      ...overview,
      teams: overview.teams.filter((one) => one.name === store.team),
      first: store.team,
      project: team.project.cwd,
    },
    state: { ...(JSON.parse(await team.state()) as Snapshot), questions: [] },
    mail: await team.mail(""),
    notes: await notes(store),
    run: await team.run(),
    costs: await team.costs(),
    "outcome?whole=1": await team.outcome.read(true),
    questions: [], // they are answered live
  };
  const events = (await factsOf(store, true)) ?? (await factsOf(store, false)) ?? [];
  answers.timeline = { events, cursor: "", more: false } satisfies FactPage;
  const names = (await store.roster.members()).map((member) => member.name as string);
  const subagents = events.flatMap((one) => (one.type === "turn.taken" && one.subagent) || []);
  for (const name of new Set([...names, ...subagents]))
    answers[`conversation/${name}`] = await conversation(team, name);
  for (const task of await store.board.tasks())
    if (task.description !== "" || task.status === "completed")
      answers[`text/${task.id}`] = {
        description: task.description,
        result: "result" in task ? task.result : null,
      };
  return { at: systemClock.now(), answers };
}

/** Null with `detail` for a run that is too long. */
async function factsOf({ journal }: Store, detail: boolean): Promise<Event[] | null> {
  const events: Event[] = [];
  for (let after = ""; ; ) {
    const page = await timeline(journal, after, detail);
    events.push(...page.events);
    if (!page.more) return events;
    if (detail && events.length > FACTS_MAX) return null;
    after = page.cursor;
  }
}

async function conversation(team: TeamPage, name: string): Promise<ConversationPage> {
  const entries: ConversationPage["entries"][number][] = [];
  for (let after = 0; ; ) {
    const page = await team.conversation(name, after);
    entries.push(...page.entries);
    if (!page.more) return { name, entries, more: false };
    after = page.entries.at(-1)?.seq ?? after;
  }
}

function inline({ files }: PageFiles, wanted: RegExp): string {
  const found = [...files].filter(([path]) => wanted.test(path));
  const [only] = found;
  if (!only || found.length !== 1) throw toolFailed("the page is not built as one file. Run npm run build.");
  return only[1].body.toString("utf8");
}

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
