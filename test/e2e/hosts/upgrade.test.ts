/** A team of an older program, killed at work: a newer program shows it, and works on with it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { databaseClass } from "../../../src/adapters/store/databases/sqlite-file.ts";
import { SCHEMA } from "../../../src/adapters/store/versions/schema.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { OLD_RUNBOOK, OLD_VERSIONS, oldPostgres, oldSqlite } from "../../fixtures/old-store.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { BACKENDS, type Backend, connect, name } from "../../fixtures/stage.ts";

/** The version that the store says it has, past the program. */
type Old = Placed & { readonly version: () => Promise<number> };

async function oldTeam(version: number, backend: Backend): Promise<Old> {
  const placed = projectOn(backend);
  const { project, env } = placed;
  const path = join(project.dir, ".ekiden/team.db");
  const schema = new URL(env.EKIDEN_STORE ?? "sqlite:x").searchParams.get("schema") ?? "";
  if (backend === "sqlite") await oldSqlite(version, path);
  else await oldPostgres(version, inject("postgresUrl"), schema);
  writeFileSync(join(project.dir, "go.txt"), "");
  writeFileSync(join(project.dir, "one.txt"), "one\n");
  writeFileSync(join(project.dir, "plan.md"), OLD_RUNBOOK);
  const text = (at: string) => `select value from ${at}meta where name = 'version'`;
  return {
    ...placed,
    version: async () => {
      if (backend === "sqlite") {
        const db = new (await databaseClass())(path, {});
        const row = db.prepare(text("")).get() as { value: string };
        db.close();
        return Number(row.value);
      }
      const client = await connect(inject("postgresUrl"));
      const { rows } = await client.query<{ value: string }>(text(`${schema}.`));
      await client.end();
      return Number(rows[0]?.value);
    },
  };
}

it("has a store of each schema that is not new", () => {
  expect(
    OLD_VERSIONS.at(-1),
    "Add a store of the last schema to test/fixtures/stores.",
  ).toBeGreaterThanOrEqual(SCHEMA - 1);
});

describe.each(BACKENDS)("on %s", (backend) => {
  it.each(sampled(OLD_VERSIONS, 4, backend === "sqlite" ? 0 : 2))(
    "exports a store of schema %s, and imports it elsewhere without a fault",
    async (version) => {
      const [old, elsewhere] = [await oldTeam(version, backend), projectOn(backend)];
      const out = join(elsewhere.project.dir, "out");
      expect(await old.project.run(["export", out], { env: old.env })).toMatchObject({ code: 0 });
      const { code, stderr } = await elsewhere.project.run(["import", out], { env: elsewhere.env });
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.not.stringMatching(/transcripts|Invalid|tasks?\b/),
      });
      const there = (await elsewhere.tasks()).map(({ subject, status }) => [subject, status]);
      expect(there).toEqual((await old.tasks()).map(({ subject, status }) => [subject, status]));
      const said = async (team: Placed) =>
        (await (await team.store()).transcript.all(name("alice"), 0, 100)).filter(
          ({ entry }) => entry.kind === "said",
        );
      expect((await said(elsewhere)).length).toBe((await said(old)).length);
      expect((await said(old)).length).toBeGreaterThan(0);
    },
  );

  // Both databases have the same steps, in the same order: always the last schema, and of PostgreSQL now and then the first.
  const older = OLD_VERSIONS.filter((version) => version < SCHEMA);
  const last = older.slice(-1);
  const tried =
    backend === "sqlite"
      ? [...sampled(older.slice(0, -1), 4), ...last]
      : sampled([...older.slice(0, 1), ...last], 2);
  describe.each(tried)("a store of schema %s", (version) => {
    it("is shown by commands that only read, and stays as it is", async () => {
      const { project, env, version: stored } = await oldTeam(version, backend);
      for (const [words, shown] of [
        [["tasks"], /#2.*in progress.*Second[\s\S]*#4.*Fourth/],
        [["team"], /alice/],
        [["log"], /completed #1 First/],
        [["transcript", "alice"], /echo one/],
        [["teams"], /default/],
        [["export", "out"], /out/],
      ] as const) {
        const { code, stdout, stderr } = await project.run([...words], { env });
        expect({ words, code, stderr }).toMatchObject({ words, code: 0 });
        expect(stdout + stderr).toMatch(shown);
        if (words[0] !== "teams") expect(stderr).toMatch(/has schema \d+.*stays unchanged/);
      }
      expect(await stored()).toBe(version);
    });

    it.each([
      ["resume", ["resume"]],
      ["run", ["run", "plan.md"]],
    ])("is worked on to the end by %s", async (_, words) => {
      const { project, env, version: stored, tasks } = await oldTeam(version, backend);
      // This machine has no record that the blocks are the person's words.
      const { code, stderr } = await project.run([...words, "--allow", "bash(*)"], { env });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stderr.match(/was brought from schema/g)).toHaveLength(1);
      expect(await stored()).toBe(SCHEMA);
      expect((await tasks()).map(({ status }) => status)).toEqual(Array(4).fill("completed"));
      expect(readFileSync(join(project.dir, "three.txt"), "utf8")).toBe("one\ntwo\n");
      const copies = existsSync(join(project.dir, ".ekiden"))
        ? readdirSync(join(project.dir, ".ekiden")).filter((file) => file.includes(".schema-"))
        : [];
      expect(copies).toEqual(backend === "sqlite" ? [`team.db.schema-${version}`] : []);
    });

    // All commands take the same step: some are tried on the last schema, and one on each older schema.
    const commands: readonly (readonly [string, string[]])[] = [
      ["send", ["send", "lead", "hello"]],
      ["retry", ["cancel", "4"]],
      ["edit", ["edit", "4", "--priority", "5"]],
      ["stop", ["stop"]],
      ["add", ["add", "Fifth"]],
      ["member", ["member", "alice", "--role", "dev"]],
    ];
    it.each(sampled(commands, version === last[0] ? 3 : 6, version))(
      "is brought up to date by %s",
      async (_, words) => {
        const { project, env, version: stored } = await oldTeam(version, backend);
        const { code, stderr } = await project.run(words, { env });
        expect({ code, stderr }).toMatchObject({
          code: 0,
          stderr: expect.stringMatching(/was brought from/),
        });
        expect(await stored()).toBe(SCHEMA);
      },
    );
  });
});
