/** Changes that make their own gate green: real gates, real landings. What the gate of the target refuses does not land. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { WorktreeOptions } from "../../../src/adapters/git/options.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { judgingKind, shadows } from "../../../src/core/gate/judging.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { repository } from "../../fixtures/repository.ts";
import { RUNNER_TAMPERED } from "../../fixtures/tampering/by-runner-list.ts";
import { LINK, RUNNER_PROJECTS } from "../../fixtures/tampering/by-runner-projects.ts";
import {
  type Edit,
  edited,
  type Files,
  HONEST,
  PROJECTS,
  type Project,
  TAMPERED,
} from "../../fixtures/tampering/first-list.ts";
import { OTHER_PROJECTS } from "../../fixtures/tampering/other-layouts.ts";
import { OTHER_TAMPERED } from "../../fixtures/tampering/other-layouts-list.ts";
import { MORE_TAMPERED } from "../../fixtures/tampering/second-list.ts";
import { FRESH_TAMPERED } from "../../fixtures/tampering/shadowing-list.ts";

type Told = { readonly signals: readonly string[]; readonly gate: string };

const land = (name: keyof typeof PROJECTS, edit: Edit, options: Partial<WorktreeOptions> = {}, text = "") =>
  landIn(PROJECTS[name], edit, options, text);

/** Lands an edit of a project. */
async function landIn(
  { files, gate }: Pick<Project, "files" | "gate">,
  edit: Edit,
  options: Partial<WorktreeOptions> = {},
  description = "",
  links: Readonly<Record<string, string>> = {},
) {
  const repo = repository({ ...files, ".gitignore": ".ekiden\n__pycache__\ntarget\nCargo.lock\n" });
  for (const [path, to] of Object.entries(links)) {
    mkdirSync(dirname(join(repo.dir, path)), { recursive: true });
    symlinkSync(to, join(repo.dir, path));
    repo.commit(`Link ${path}`);
  }
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const trees = await openTrees(repo.dir, shell, { gate, ...options });
  const task = { ...landing.task(1), description };
  const { workspace } = await trees.open(task);
  const after = edited(files as Files, edit);
  for (const path of Object.keys({ ...files, ...after })) {
    const file = join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    const text = (after as Record<string, string>)[path];
    if (text === undefined) rmSync(file);
    else if (text.startsWith(LINK)) {
      rmSync(file, { force: true });
      symlinkSync(text.slice(LINK.length), file);
    } else writeFileSync(file, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  const told: Told[] = [];
  const onSignals = async (signals: readonly string[], of: string) => void told.push({ signals, gate: of });
  const outcome = await trees.land(task, { ...landing.by, onSignals });
  return { outcome, told, repo, workspace };
}

/** The code is broken also where the edit is in the same file. */
function withBroken(name: keyof typeof PROJECTS, edit: Edit): Edit {
  const broken: Edit = PROJECTS[name].broken;
  const both = Object.entries(edit).map(([path, own]) => {
    const first = broken[path];
    const isBoth = Array.isArray(first) && Array.isArray(own);
    const isApart = isBoth && first.every(([text]) => own.every(([other]) => !other.includes(text)));
    return [path, isApart ? [...first, ...own] : own] as const;
  });
  return { ...broken, ...Object.fromEntries(both) };
}
const CHEAT: Edit = { "check.sh": [["set -e\n", "exit 0\n"]] };

/** Tampering in the code itself passes any tests: it lands with a note. */
const isInCode = (edit: Edit): boolean =>
  Object.keys(edit).every((path) => judgingKind(path) === null && !shadows(path));

/** EKIDEN_TAMPERING=all: all lists with all runners that are here, which takes a quarter of an hour. */
const ALL = process.env.EKIDEN_TAMPERING === "all";
const LISTS = [...TAMPERED, ...MORE_TAMPERED, ...FRESH_TAMPERED];
const RUNNERS = ALL ? (["node", "unittest", "pytest", "rust"] as const) : (["node", "unittest"] as const);
/** The patterns of all runners are tried in src/core/gate/tampering.test.ts. Of two runners some are landed, other ones with each seed. */
const rows = RUNNERS.flatMap((runner) => {
  const of = LISTS.filter(([name]) => name === runner);
  return ALL ? of : sampled(of, 14);
});
it.each(rows.map((row) => [`${row[0]}: ${row[1]}`, row] as const))(
  "does not land: %s",
  async (title, [name, , edit]) => {
    const { outcome, told } = await land(name, withBroken(name, edit));
    if (outcome.kind === "refused") return;
    // Landed: the person is told, and nothing that the tests of the target see was broken.
    expect(told, title).not.toEqual([]);
    expect(isInCode(edit), title).toBe(true);
  },
);

/** Other layouts, with the runners that are here. */
const HERE = ALL ? (["nodetest", "unittest", "pytest", "ci", "cargo"] as const) : (["ci"] as const);
const others = OTHER_TAMPERED.filter(([name]) => HERE.some((one) => one === name));
const OTHERS = ALL ? others : sampled(others, 14);
/** Those whose program is on the path. */
const isHere = ({ gate }: Project): boolean =>
  (process.env.PATH ?? "").split(":").some((dir) => existsSync(join(dir, gate.split(" ")[0] ?? "")));
const PLAYED = (Object.keys(RUNNER_PROJECTS) as (keyof typeof RUNNER_PROJECTS)[]).filter((name) =>
  ALL ? isHere(RUNNER_PROJECTS[name]) : name === "shell",
);
/** A gate that is always red would refuse anything. */
const GREEN: readonly (readonly [string, Project])[] = [
  ...RUNNERS.map((name) => [name, PROJECTS[name]] as const),
  ...HERE.map((name) => [`another layout, ${name}`, OTHER_PROJECTS[name]] as const),
  ...PLAYED.map((name) => [`by runner, ${name}`, RUNNER_PROJECTS[name]] as const),
];
it.each(GREEN)("lands what is harmless: %s", async (_, project) => {
  const { outcome, told } = await landIn(project, { "README.md": "Sums.\n" });
  expect([outcome.kind, "evidence" in outcome ? outcome.evidence : "", told]).toEqual(["landed", "", []]);
});
/** What no test of the target can see, or what is no gate here. */
const UNSEEN =
  /code asks for the runner|code sets the exit code|code ends the process|a job may fail|a step that never runs|paths are ignored/;

it.each(OTHERS.map((row) => [`${row[0]}: ${row[1]}`, row] as const))(
  "does not land, in another layout: %s",
  async (title, [name, , edit]) => {
    const { outcome, told } = await landIn(OTHER_PROJECTS[name], { ...OTHER_PROJECTS[name].broken, ...edit });
    if (UNSEEN.test(title)) expect(outcome.kind === "refused" || told.length > 0).toBe(true);
    else expect(outcome, JSON.stringify(told)).toMatchObject({ kind: "refused" });
  },
);

const byRunner = RUNNER_TAMPERED.filter(([name]) => PLAYED.includes(name));
it.each((ALL ? byRunner : sampled(byRunner, 3)).map((row) => [`${row[0]}: ${row[1]}`, row] as const))(
  "does not land, by runner: %s",
  async (title, [name, , edit]) => {
    const { outcome, told } = await landIn(RUNNER_PROJECTS[name], {
      ...RUNNER_PROJECTS[name].broken,
      ...edit,
    });
    const isNote = title.includes("the wanted values are made from the code");
    if (isNote || isInCode(edit)) expect(outcome.kind === "refused" || told.length > 0).toBe(true);
    else expect(outcome, `${title} ${JSON.stringify(told)}`).toMatchObject({ kind: "refused" });
  },
);

it("refuses with the signs, the files and the words of the second run, and leaves the work as it was", async () => {
  const { outcome, told, workspace } = await land("node", withBroken("node", CHEAT));
  expect(outcome).toMatchObject({ kind: "refused", why: "gate" });
  const { evidence } = outcome as { evidence: string };
  expect(evidence).toMatch(/with the tests and scripts of main your change fails/);
  expect(evidence).toContain("check.sh");
  expect(evidence).toContain("Judges: yes");
  expect(told).toMatchObject([{ gate: "red" }]);
  expect(readFileSync(join(workspace, "check.sh"), "utf8")).toContain("exit 0");
  expect(readFileSync(join(workspace, "src/sum.js"), "utf8")).toContain("a - b");
});

it("refuses a change that shortens a gate which takes too long on the target", async () => {
  const slow = { gate: "sh check.sh", files: { "check.sh": "set -e\nsleep 60\n", "src.txt": "a\n" } };
  const edit: Edit = { "check.sh": [["sleep 60\n", "exit 0\n"]] };
  const { outcome, told } = await landIn(slow, edit, { gateTimeoutMs: 1_500 });
  expect(outcome).toMatchObject({
    kind: "refused",
    why: "gate",
    evidence: expect.stringContaining("was not done after 1500 ms"),
  });
  expect(told).toMatchObject([{ gate: "red" }]);
});

/** More than is read as a whole. EKIDEN_CHANGE_MB=50 is a change of that size. */
const LARGE = Math.ceil((Number(process.env.EKIDEN_CHANGE_MB ?? 5) * 1_000_000) / 50_000);
const filler = (nth: number): Edit => ({
  [`src/data/${nth}.js`]: `export const n${nth} = 1; // ${"x".repeat(70)}\n`.repeat(500),
});
const large: Edit = Object.assign({}, ...Array.from({ length: LARGE }, (_, nth) => filler(nth)));

it.each<[string, Edit, RegExp]>([
  ["its script behind a large change", { ...CHEAT, ...large }, /check\.sh/],
  [
    "its test behind a large file",
    { "test/sum.test.js": `// ${"x".repeat(2_000_000)}\n`, "src/two.js": "" },
    /test\/sum\.test\.js git shows it as binary/,
  ],
  [
    "its test in a renamed folder",
    { "test/sum.test.js": null, "tests/old/sum.txt": "" },
    /test\/sum\.test\.js a file with 2 tests is deleted/,
  ],
])("refuses a change that hides %s", async (_, edit, signal) => {
  const { outcome } = await land("node", withBroken("node", edit));
  expect(outcome).toMatchObject({ kind: "refused", why: "gate", evidence: expect.stringMatching(signal) });
});

const { "check.sh": CHECK, ...OTHER_FILES } = PROJECTS.node.files;
const SCRIPTS: readonly (readonly [string, path: string, gate: string, links: Record<string, string>])[] = [
  ["behind a link", "ci/run.sh", "sh ci/check.sh", { "ci/check.sh": "run.sh" }],
  ["in a folder that is a link", "tools/ci/check.sh", "sh ci/check.sh", { ci: "tools/ci" }],
  ["with a space in its name", "my check.sh", "sh 'my check.sh'", {}],
  ["that make includes", "mk/test.mk", "make check", {}],
  ["that make includes by a pattern", "mk/all.mk", "make", {}],
];
it.each(sampled(SCRIPTS, 3))("refuses a change of the gate's script %s", async (_, path, gate, links) => {
  const isMade = path.endsWith(".mk");
  const script = isMade ? "check:\n\tnode --test test/\n" : CHECK;
  const makefile = isMade ? { Makefile: `include ${path.replace("all", "*")}\n` } : {};
  const project = { gate, files: { ...OTHER_FILES, ...makefile, [path]: script } };
  const cheat: Edit = { ...PROJECTS.node.broken, [path]: isMade ? "check:\n\ttrue\n" : "exit 0\n" };
  const { outcome, told } = await landIn(project, cheat, {}, "", links);
  expect(outcome, JSON.stringify(told)).toMatchObject({ kind: "refused", why: "gate" });
  expect(told[0]?.signals.join("\n")).toContain(path);
});

it("takes other ends of lines, and a folder with another name, for what they are", async () => {
  const { files } = PROJECTS.node;
  const crlf = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      path.endsWith(".js") ? text.replaceAll("\n", "\r\n") : text,
    ]),
  );
  expect(await land("node", crlf)).toMatchObject({ outcome: { kind: "landed" }, told: [] });
  const moved = {
    "test/sum.test.js": null,
    "test/unit/sum.test.js": files["test/sum.test.js"].replace("../src", "../../src"),
  };
  expect(await land("node", moved)).toMatchObject({ outcome: { kind: "landed" }, told: [] });
});

it("lands with a note where the task is meant to change what judges it, or the person wants notes only", async () => {
  const meant = await land("node", withBroken("node", CHEAT), {}, "Loosen the gate.\n\nJudges: yes");
  expect(meant.outcome.kind).toBe("landed");
  expect(meant.told).toMatchObject([{ gate: "none" }]);
  const noted = await land("node", withBroken("node", CHEAT), { tampering: "note" });
  expect(noted.outcome.kind).toBe("landed");
  expect(noted.told).toMatchObject([{ gate: "none" }]);
  const off = await land("node", withBroken("node", CHEAT), { tampering: "off" });
  expect(off.told).toEqual([]);
});

it("lands a change that keeps its promises with the gate of the target, too", async () => {
  const { outcome, told } = await land("node", { "check.sh": [["set -e\n", "set -eu\n"]] });
  expect(outcome.kind).toBe("landed");
  expect(told).toMatchObject([{ gate: "green" }]);
});

it("judges the files of the check of a task as those of the gate, also where there is no gate", async () => {
  const check = "Add up.\n\nCheck: `sh check.sh`";
  for (const gate of ["true", undefined]) {
    const { outcome, told } = await land("node", withBroken("node", CHEAT), { gate }, check);
    expect(outcome).toMatchObject({ kind: "refused", why: "gate" });
    expect((outcome as { evidence: string }).evidence).toMatch(
      /`sh check.sh` ended with exit code 1 with the tests/,
    );
    expect(told).toMatchObject([
      { gate: "red", signals: [expect.stringContaining("the check `sh check.sh`")] },
    ]);
  }
  const honest = { "check.sh": [["set -e\n", "set -eu\n"]] } as const;
  const kept = await land("node", honest, { gate: undefined }, check);
  expect([kept.outcome.kind, kept.told[0]?.gate]).toEqual(["landed", "green"]);
  const meant = await land("node", honest, { gate: undefined }, `${check}\nJudges: yes`);
  expect([meant.outcome.kind, meant.told[0]?.gate]).toEqual(["landed", "none"]);
  // Without a sign in the change nothing is run again.
  const plain = await land("node", { "src/new.js": "export const three = 3;\n" }, { gate: undefined }, check);
  expect([plain.outcome.kind, plain.told]).toEqual(["landed", []]);
});

const honest = sampled(
  HONEST.filter(([name]) => name === "node"),
  3,
);
it.each(honest.map((row) => [`${row[0]}: ${row[1]}`, row] as const))(
  "lands: %s",
  async (_title, [name, , edit]) => {
    const { outcome, told } = await land(name, edit);
    expect(outcome.kind).toBe("landed");
    expect(told.filter(({ gate }) => gate !== "none")).toEqual([]);
  },
);

it("does not land code that ends its tests early, once the number of tests on the target is known", async () => {
  const { files } = PROJECTS.node;
  const gate = "node --test test/";
  const repo = repository({ ...files, ".gitignore": ".ekiden\n" });
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const runs = join(repo.dir, ".ekiden", "runs");
  const trees = await openTrees(repo.dir, shell, { gate: `echo run >> ${runs}; ${gate}` });
  const told: Told[] = [];
  const onSignals = async (signals: readonly string[], of: string) => void told.push({ signals, gate: of });
  const landed = async (id: number, path: string, text: string) => {
    const task = landing.task(id);
    const { workspace } = await trees.open(task);
    writeFileSync(join(workspace, path), text);
    return await trees.land(task, { ...landing.by, onSignals });
  };
  const CODE = "exports.sum = (a, b) => a + b;\nexports.half = (a) => a / 2;\n";
  expect((await landed(1, "src/sum.js", CODE)).kind).toBe("landed");
  // A commit of a person between the two: the number is that of an earlier commit of the target.
  repo.write({ "README.md": "Sums.\n" });
  repo.commit("Person");
  expect(told).toEqual([]);
  // No pattern knows this one.
  const outcome = await landed(2, "src/sum.js", `process["ex" + "it"]();\n${CODE.replace("+", "-")}`);
  expect(outcome).toMatchObject({
    kind: "refused",
    evidence: expect.stringContaining("ran 1 of the 2 tests"),
  });
  expect(told).toMatchObject([{ signals: ["the gate ran 1 of the 2 tests that it ran before"] }]);
  // One gate a landing: only tests that changed make a second one.
  expect(readFileSync(runs, "utf8").match(/run/g)).toHaveLength(2);
});
