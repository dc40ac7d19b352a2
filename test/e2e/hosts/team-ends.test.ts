/** The ends of lives in one process: what is in the journal of them, and that a process that suspends waits for all of them. */
import { afterEach, expect, it } from "vitest";
import { EkidenError } from "../../../src/core/errors.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import { type HostedOptions, type HostedTeam, hostedTeam } from "../../fixtures/hosted-team.ts";
import { modelOf } from "../../fixtures/member.ts";
import { soon } from "../../fixtures/soon.ts";
import { host, profile } from "../../fixtures/stage.ts";

let team: HostedTeam;
afterEach(() => team.close());
const open = async (options: HostedOptions): Promise<HostedTeam> => {
  team = await hostedTeam(options);
  return team;
};
const warnings = async (): Promise<unknown[]> =>
  (await team.events("warning.raised")).map((fact) => "text" in fact && fact.text);

it("ends the calls of all models before it has suspended, without a warning", async () => {
  const [begun, ended]: string[][] = [[], []];
  const model = (who: string) =>
    modelOf(async (_request, _nth, { signal }) => {
      begun?.push(who);
      await new Promise((over) => signal.addEventListener("abort", over));
      ended?.push(who);
      throw signal.reason;
    });
  const { store, team: here, join } = await open({ model });
  for (const who of ["alice", "bob"]) await join(who, { prompt: "Begin" });
  await store.board.addAll([{ subject: "paint" }, { subject: "sand" }], PERSON);
  await soon(() => expect(begun).toHaveLength(2));
  await here.suspend();
  expect(here.names).toEqual([]);
  expect(await warnings()).toEqual([]);
  expect(ended?.sort()).toEqual(["alice", "bob"]);
});

it("has no warning of a member that left because there was nothing to do", async () => {
  const { join } = await open({ settings: { idleTimeoutMs: 1 } });
  await join("alice");
  await soon(() => expect(team.team.names).toEqual([]));
  expect(await warnings()).toEqual([]);
});

it("has a warning with the reason of a member that failed", async () => {
  const model = () => modelOf(() => new EkidenError("model_auth", "the key is wrong"));
  const { join, store } = await open({ model });
  await join("alice", { prompt: "Begin" });
  await store.board.add({ subject: "paint" }, PERSON);
  await soon(async () => expect(await warnings()).toEqual([expect.stringContaining("the key is wrong")]));
});

it("removes dead hosts again once it has taken their members over", async () => {
  const { store, team: here } = await open({ host: "here", isAlive: ({ pid }) => pid !== 7 });
  await here.open({ willAdopt: true });
  await here.adoptAll();
  await store.roster.open(host("other"), "test", 7);
  await store.roster.join(profile("alice"), host("other"), PERSON);
  await soon(async () => expect((await store.roster.member(name("alice")))?.host).not.toBe("other"));
});

it("registers again when it counts as dead, before it takes somebody in", async () => {
  const { store, team: here } = await open({ host: "here", settings: { reapMs: 60_000 } });
  await store.roster.reap(({ id }) => id !== host("here"));
  expect(await store.roster.hosts()).toEqual([]);
  await here.join(profile("bob"), PERSON);
  expect((await store.roster.members()).map((one) => [one.name, one.host])).toEqual([["bob", "here"]]);
});
