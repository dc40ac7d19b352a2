/** A reporter of vitest for `npm test -- --slowest`: the projects, files and tests that took longest, each with its share. */
import { relative } from "node:path";

const FILES = 15;
const TESTS = 25;

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`.padStart(9);

/** `rows`: name and milliseconds. */
function table(title, rows, most) {
  const total = rows.reduce((sum, [, ms]) => sum + ms, 0);
  const sorted = rows.toSorted(([, a], [, b]) => b - a).slice(0, most);
  const lines = sorted.map(
    ([name, ms]) => `${seconds(ms)} ${((100 * ms) / total).toFixed(1).padStart(5)} %  ${name}`,
  );
  return [`\n${title} (${rows.length}, together ${seconds(total).trim()})`, ...lines].join("\n");
}

export default class Slowest {
  onTestRunEnd(modules) {
    const projects = new Map();
    const files = [];
    const tests = [];
    for (const module of modules) {
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      const ms = duration + collectDuration + setupDuration;
      const file = relative(process.cwd(), module.moduleId);
      projects.set(module.project.name, (projects.get(module.project.name) ?? 0) + ms);
      files.push([file, ms]);
      for (const test of module.children.allTests())
        tests.push([`${file} > ${test.fullName}`, test.diagnostic()?.duration ?? 0]);
    }
    console.log(table("Projects", [...projects], projects.size));
    console.log(table("Slowest files, with their imports", files, FILES));
    console.log(table("Slowest tests", tests, TESTS));
  }
}
