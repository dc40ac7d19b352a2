/**
 * A class of the styles belongs to one component, or to the parts that many use. One word for two things drew the words of a member 92
 * pixels wide, because the state of the team in the header had the same class.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const PAGE = join(import.meta.dirname, "..");

/** Parts that several components use for the same thing. Those of `scale.css` are among them by their place. */
const PARTS: ReadonlySet<string> = new Set([
  ..."live banner toolbar legend form form-grid as-is scroll-x diff-lines entry output confirm".split(" "),
  ..."letters letter totals facts view".split(" "),
]);

const textsOf = (folder: string, ending: string): [file: string, text: string][] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => [file, readFileSync(join(folder, file), "utf8")]);

/** Classes that have a rule of their own, whatever they are in; by the files that have one. */
function declared(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [file, text] of textsOf(join(PAGE, "style"), ".css")) {
    const css = text.replace(/\/\*.*?\*\//gs, "").replace(/@media[^{]*\{(?:[^{}]*\{[^}]*\})*[^}]*\}/g, "");
    for (const [, selectors = ""] of css.matchAll(/([^{}]+)\{[^}]*\}/g))
      for (const [, name = ""] of selectors.matchAll(/(?:^|,)\s*\.([\w-]+)(?:::before|::after)?\s*(?=,|$)/g))
        found.set(name, (found.get(name) ?? new Set()).add(file));
  }
  return found;
}

/** Classes by the components that give them to an element. */
function used(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [file, text] of textsOf(PAGE, ".tsx"))
    for (const [, plain, made = ""] of text.matchAll(/\bclass=(?:"([^"]*)"|\{((?:[^{}]|\{[^}]*\})*)\})/g)) {
      const words = plain ?? [...made.matchAll(/[`"}]([^`"${]*)/g)].map(([, part]) => part).join(" ");
      for (const name of words.split(/[^\w-]+/)) found.set(name, (found.get(name) ?? new Set()).add(file));
    }
  return found;
}

it("no class is declared in two files of styles, nor given by two components", () => {
  const [styles, components] = [declared(), used()];
  expect(styles.size).toBeGreaterThan(100);
  const twice = [...styles].flatMap(([name, files]) => {
    const by = [...(components.get(name) ?? [])];
    const isPart = PARTS.has(name) || files.has("scale.css");
    return files.size > 1 || (by.length > 1 && !isPart) ? [`${name}: ${[...files, ...by].join(", ")}`] : [];
  });
  expect(twice).toEqual([]);
});
