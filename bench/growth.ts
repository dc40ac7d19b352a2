/**
 * (m) Growth without bends: twice as much work costs twice as much, and an old store starts as fast as a new one. Costs are CPU time of the
 * process itself, so a busy machine changes them little.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { name, openStore, PERSON, systemClock } from "ekiden";
import { alternate, type Figure, figure, type Item, median, show } from "./measure.ts";
import { BUILT, freshFolder, runNode } from "./stage.ts";

export const growth: Item = async (quick) => [
  ...(await chains(quick ? [250, 1_000] : [1_000, 4_000], quick ? 1 : 2)),
  ...(await additions(quick ? 2_500 : 10_000)),
  ...(await oldStore(quick ? 100_000 : 1_000_000, quick ? 3 : 7)),
];

const chain = (size: number): string =>
  `# A chain\n${Array.from(
    { length: size },
    (_, i) => `\n## Link ${i + 1}\n${i > 0 ? `\nAfter: #${i}\n` : ""}\n\`\`\`sh\ntrue\n\`\`\`\n`,
  ).join("")}`;

/** Each task waits for the one before: nobody can work ahead, and everything that grows with the past is met each time. */
async function chains(
  [few, many]: readonly [number, number] | readonly number[],
  times: number,
): Promise<Figure[]> {
  const cost = async (size = 0): Promise<number> => {
    const file = join(freshFolder(), "chain.md");
    writeFileSync(file, chain(size));
    const settings = { EKIDEN_SANDBOX: "off", EKIDEN_TRUST: "1" };
    return (await runNode([BUILT, "run", file, "--quiet"], settings)).cpuMs / size;
  };
  const { a, b } = await alternate(
    times,
    () => cost(many),
    () => cost(few),
  );
  return [
    figure({
      item: "m",
      name: `a chain of ${show(many ?? 0)} runbook tasks, CPU a task`,
      unit: "ms",
      value: median(a),
      floor: median(b),
      budget: { of: "ratio", atMost: 1.25 },
      samples: a,
      note: `floor: a chain of ${show(few ?? 0)}`,
    }),
  ];
}

const cpuMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** A batch of tasks that each wait for the one before, in one call. */
async function additions(size: number): Promise<Figure[]> {
  const store = await openStore({
    url: `sqlite:${join(freshFolder(), "team.db")}`,
    team: name("default"),
    clock: systemClock,
  });
  const add = async (count: number): Promise<number> => {
    const tasks = Array.from({ length: count }, (_, i) => ({
      subject: `Link ${i}`,
      blockedBy: i > 0 ? [{ nth: i - 1 }] : [],
    }));
    return (await cpuMs(() => store.board.addAll(tasks, PERSON))) / count;
  };
  try {
    await add(size);
    const { a, b } = await alternate(
      3,
      () => add(size),
      () => add(size / 10),
    );
    const list = [];
    for (let i = 0; i < 3; i += 1) list.push(await cpuMs(() => store.board.tasks()));
    const { total } = await store.board.counts();
    return [
      figure({
        item: "m",
        name: `adding ${show(size)} chained tasks at once, CPU a task`,
        unit: "ms",
        value: median(a),
        floor: median(b),
        budget: { of: "ratio", atMost: 1.25 },
        samples: a,
        note: `floor: ${show(size / 10)} at once`,
      }),
      figure({
        item: "m",
        name: `reading a board of ${show(total)} tasks, CPU a task`,
        unit: "µs",
        value: (1000 * median(list)) / total,
        samples: list.map((ms) => (1000 * ms) / total),
      }),
    ];
  } finally {
    await store.close();
  }
}

type Database = new (path: string) => { exec(text: string): void; close(): void };
const { DatabaseSync } = createRequire(import.meta.url)("@photostructure/sqlite") as {
  DatabaseSync: Database;
};

/** Half of the old facts are of another team. */
async function oldStore(facts: number, times: number): Promise<Figure[]> {
  const project = async (old: number): Promise<string> => {
    const folder = freshFolder();
    mkdirSync(join(folder, ".ekiden"));
    const path = join(folder, ".ekiden/team.db");
    const store = await openStore({ url: `sqlite:${path}`, team: name("default"), clock: systemClock });
    await store.close();
    const db = new DatabaseSync(path);
    if (old > 0)
      db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${old})
        insert into events (team, at, type, data) select case i % 2 when 0 then 'default' else 'other' end, i, 'tool.called',
          '{"who":"alice","tool":"bash","subject":"true","ms":1,"isError":false}' from n`);
    db.close();
    writeFileSync(join(folder, "one.md"), chain(1));
    return folder;
  };
  const [aged, empty] = [await project(facts), await project(0)];
  const start = (folder: string) => (): Promise<number> =>
    runNode([BUILT, "run", "one.md", "--fresh", "--quiet", "--cwd", folder], {
      EKIDEN_SANDBOX: "off",
      EKIDEN_TRUST: "1",
    }).then((ran) => ran.cpuMs);
  await start(aged)();
  await start(empty)();
  const { a, b } = await alternate(times, start(aged), start(empty));
  return [
    figure({
      item: "m",
      name: `a run of one task on a store with ${show(facts)} old facts, CPU`,
      unit: "ms",
      value: median(a),
      floor: median(b),
      budget: { of: "ratio", atMost: 1.2 },
      samples: a,
      note: "floor: the same on an empty store",
    }),
  ];
}
