/** The teams of a store as the page asks for them. A team's store is opened when it is first looked at. */

import { systemClock } from "../../adapters/clock.ts";
import { bytesOf } from "../../adapters/images.ts";
import type { Mail } from "../../core/board/mail.ts";
import { isMediaType } from "../../core/conversation/image.ts";
import { messageOf, notFound, notPermitted } from "../../core/errors.ts";
import { mailId, type Name, name, PERSON, quote, speaker } from "../../core/ids.ts";
import { choicesOf } from "../../core/settings/choices.ts";
import { cronLine } from "../../core/views/cron.ts";
import type { Store } from "../../ports/index.ts";
import { withKeptKeys } from "../../project/kept-keys.ts";
import { liveReader, outputFolder } from "../../team/queries/live.ts";
import { OutcomeReader } from "../../team/queries/outcome.ts";
import { memberRows } from "../../team/queries/picture.ts";
import { requests } from "../../team/queries/requests.ts";
import { diffShower } from "../../team/queries/shown-diff.ts";
import { mustExist } from "../../team/queries/team.ts";
import { teamFigures } from "../../team/queries/teams.ts";
import { subagentsOf } from "../../team/queries/transcript.ts";
import type { Project } from "./project.ts";
import { costReader } from "./read/costs.ts";
import { DoingReader } from "./read/doing.ts";
import { allTeams, isElsewhere, openElsewhere } from "./read/elsewhere.ts";
import { Feed } from "./read/feed.ts";
import { goalOf } from "./read/glance.ts";
import { lineReader } from "./read/in-line.ts";
import { TaskReader } from "./read/shown-task.ts";
import { liveHostIds, snapshot } from "./read/snapshot.ts";
import { turnReader } from "./read/turns.ts";
import type {
  AllTeams,
  ConversationPage,
  Doing,
  MailPage,
  Overview,
  Question,
  RunGlance,
  StartForm,
} from "./wire.ts";

const ENTRIES = 300;
const MAIL_A_BOX = 100;
/** The time for which a snapshot serves pages while nothing happens. Leases end without a fact, but pages ask for members by themselves. */
const FRESH_MS = 60_000;

export class Teams {
  private readonly store: Store;
  private readonly project: Project;
  private readonly open = new Map<string, Promise<TeamPage>>();

  /** The caller closes the store, after this. */
  constructor(store: Store, project: Project) {
    this.store = store;
    this.project = project;
  }

  /** The team to show where an address names none. */
  get first(): Name {
    return this.store.team;
  }

  /** @throws EkidenError `not_found` for a team that the store does not have: looking makes none */
  async team(text: string, readOnly = false): Promise<TeamPage> {
    if (isElsewhere(text)) {
      if (readOnly) throw notPermitted("This page shows the teams of one project only.");
      return await this.keep(text, async () => {
        const { store, project } = await openElsewhere(text, this.project);
        return new TeamPage(store, project);
      });
    }
    const wanted = name(text);
    const known = this.open.get(wanted);
    if (known) return await known;
    const names = new Set([this.first, ...(await this.store.teams())]);
    if (!names.has(wanted))
      throw notFound(`there is no team ${quote(wanted)} in this store; it has ${[...names].join(", ")}.`);
    return await this.keep(wanted, async () => new TeamPage(await this.store.forTeam(wanted), this.project));
  }

  private async keep(key: string, open: () => Promise<TeamPage>): Promise<TeamPage> {
    const known = this.open.get(key);
    if (known) return await known;
    const page = open();
    this.open.set(key, page);
    page.catch(() => this.open.delete(key));
    return await page;
  }

  /** With the teams of other projects, unless the page is read-only: it may be shown to others. */
  async all(readOnly: boolean): Promise<AllTeams> {
    const names = await this.store.teams();
    const own = await Promise.all(names.map(async (one) => (await this.team(one)).store));
    return await allTeams(this.project, own, readOnly);
  }

  async overview(readOnly: boolean): Promise<Overview> {
    const names = await this.store.teams();
    const teams = await Promise.all(names.map(async (one) => teamFigures((await this.team(one)).store)));
    return {
      teams,
      readOnly,
      mayStart: this.project.launch !== undefined && !readOnly,
      project: this.project.cwd,
      version: this.project.version,
      first: this.first,
    };
  }

  /** Reads the first team's board before a page asks for it. */
  warmUp(): void {
    this.team(this.store.team)
      .then((page) => page.state())
      .catch(() => {}); // the page that asks will hear of it
  }

  /** The choices of the form that starts a team. */
  async startForm({ store, project }: TeamPage): Promise<StartForm> {
    const { settings, cwd } = project;
    const { runbooksIn } = await import("./launch.ts");
    const { canBecomeRepository, isolates } = await import("./new-project.ts");
    const { changedMode, lastChoices } = await import("./steer.ts");
    const { modelsHere } = await import("../../project/models-here.ts");
    return {
      runbooks: runbooksIn(cwd),
      last: await lastChoices(store),
      ...(await leadsFor(project)),
      ...choicesOf(settings),
      isolates: await isolates(project),
      changedMode: await changedMode(store),
      offered: await modelsHere(settings),
      isEmpty: await canBecomeRepository(cwd),
      crons: (await store.crons.list()).map((one) => ({ id: one.id, line: cronLine(one) })),
    };
  }

  async close(): Promise<void> {
    for (const page of await Promise.allSettled(this.open.values())) {
      if (page.status === "rejected") continue;
      await page.value.feed.close();
      await page.value.store.close();
    }
  }
}

/** The model of a goal that names none, and the programs that could lead. Looks for what a start looks for. */
async function leadsFor({
  env: own,
  settings,
  cwd: folder,
}: Project): Promise<Pick<StartForm, "found" | "missing" | "programs">> {
  if (own === undefined) return { found: "", missing: "", programs: [] };
  const [{ usualModel }, { agentPrograms }] = await Promise.all([
    import("../../host/models/usual-models.ts"),
    import("../../adapters/agents/look.ts"),
  ]);
  const env = withKeptKeys(own);
  const [model, programs] = await Promise.all([
    usualModel({ settings, env, folder }).then(
      ({ spec }) => ({ found: spec, missing: "" }),
      (error: unknown) => ({ found: "", missing: messageOf(error) }),
    ),
    agentPrograms({ folder, env }),
  ]);
  return {
    ...model,
    programs: programs.flatMap(({ name, title, state, missing }) =>
      state === "absent" ? [] : { name, title, lacks: state === "ready" ? "" : missing.join(" ") },
    ),
  };
}

export class TeamPage {
  readonly store: Store;
  readonly project: Project;
  readonly feed: Feed;
  readonly costs: ReturnType<typeof costReader>;
  readonly turns: ReturnType<typeof turnReader>;
  readonly outcome: OutcomeReader;
  readonly tasks: TaskReader;
  private readonly doingReader: DoingReader;
  private readonly line: ReturnType<typeof lineReader>;
  private cached: { readonly cursor: string; readonly at: number; readonly text: Promise<string> } | null =
    null;

  constructor(store: Store, project: Project) {
    const { cwd, settings, redact } = project;
    this.project = project;
    const live = liveReader(settings, cwd);
    this.store = store;
    this.feed = new Feed(store, systemClock, {
      output: () => live(store),
      hosts: () => liveHostIds(store),
      members: () => memberRows(store),
    });
    this.line = lineReader(store);
    this.costs = costReader(store);
    this.turns = turnReader(store);
    const show = diffShower(settings, cwd, redact);
    this.outcome = new OutcomeReader(store, cwd, show);
    this.tasks = new TaskReader(store, cwd, show);
    this.doingReader = new DoingReader(store, outputFolder(cwd), project);
  }

  /** A `Snapshot`, as JSON. */
  async state(): Promise<string> {
    const cursor = await this.store.journal.end();
    const at = systemClock.now();
    if (this.cached?.cursor !== cursor || at - this.cached.at > FRESH_MS)
      this.cached = { cursor, at, text: snapshot(this.store, this.line) };
    const { text } = this.cached;
    text.catch(() => {
      this.cached = null;
    });
    const rest = (await text).slice(1);
    // Not of the cache: the page sets its clock by it.
    return `{"now":${systemClock.now()},"project":${JSON.stringify(this.project.cwd)},${rest}`;
  }

  /** The entries behind one; `more`: later entries follow. */
  async conversation(text: string, after: number): Promise<ConversationPage> {
    const { who, member } = speaker(text);
    const entries = await this.store.transcript.all(who, after, ENTRIES);
    if (entries.length === 0 && after === 0) await mustExist(this.store, member);
    return { name: who, entries, more: entries.length === ENTRIES };
  }

  /** The last entries before one, or of all; `more`: earlier ones are before them. */
  async conversationEnd(text: string, limit: number, before?: number): Promise<ConversationPage> {
    const { who, member } = speaker(text);
    const found = await this.store.transcript.last(who, limit + 1, before);
    if (found.length === 0 && before === undefined) await mustExist(this.store, member);
    const subagents = await subagentsOf(this.store, who);
    return { name: who, entries: found.slice(-limit), more: found.length > limit, subagents };
  }

  /** The bytes of an image that a conversation names. @throws EkidenError `not_found` */
  async image(
    sha256: string,
    type: string,
    bytes: number,
  ): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string }> {
    const isNamed = /^[0-9a-f]{64}$/.test(sha256) && isMediaType(type);
    const found = isNamed
      ? await bytesOf(outputFolder(this.project.cwd), { sha256, mediaType: type, bytes })
      : null;
    if (found === null) throw notFound("the image is not on this machine.");
    return { bytes: new Uint8Array(found), type };
  }

  /** The latest of every mailbox, or those with the given numbers. */
  async mail(ids: string): Promise<MailPage> {
    const { mail, roster } = this.store;
    if (ids !== "") {
      const found = await Promise.all(list(ids).map((one) => mail.mail(mailId(Number(one)))));
      return { mail: found.filter((one) => one !== null) };
    }
    const names = [...(await roster.members()).map((member) => member.name), PERSON];
    const all: Mail[] = [];
    for (const box of names) all.push(...(await mail.box(box, MAIL_A_BOX)));
    return { mail: all.sort((a, b) => a.id - b.id) };
  }

  async run(): Promise<RunGlance> {
    return { goal: await goalOf(this.store), ...(await this.outcome.lastRun()) };
  }

  async questions(): Promise<Question[]> {
    const { requests: open } = await requests(this.store);
    return await Promise.all(
      open.map(async (one): Promise<Question> => {
        if (one.kind !== "permission") return one;
        const at = one.text.indexOf(": ");
        const [tool, subject] = [one.text.slice(0, at), one.text.slice(at + 2)];
        return { ...one, tool, call: await this.doingReader.openCall(one.by, tool, subject) };
      }),
    );
  }

  async doing(names: string): Promise<Doing[]> {
    const { context } = await this.costs();
    return await Promise.all(
      list(names).map((text) => {
        const who = name(text);
        return this.doingReader.read(who, context[who] ?? null);
      }),
    );
  }
}

const LIST_MAX = 200;
const list = (text: string): string[] =>
  text
    .split(",")
    .filter((one) => one !== "")
    .slice(0, LIST_MAX);
