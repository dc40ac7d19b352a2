/**
 * Questions to tools that may run what a project names before they answer: another version of themselves, a compiler, a module
 * that has the name of theirs. In a sandbox with a read-only workspace and without a network this has no effect.
 */
import { joined } from "./expansion.ts";
import type { Word } from "./plain.ts";

const QUESTIONS =
  /^(?:(?:npm|pnpm|yarn) (?:ls|list|ll|why|explain|root|prefix|bin|run|help)|(?:pnpm|yarn|corepack|mvn|gradle|rake|bundle|composer|dotnet|swift|mix|cargo|rustc|rustfmt|rustup|kubectl|helm|terraform|uv|poetry|ruff|black|mypy|pytest|eslint|prettier|vitest|jest|biome|esbuild|vite|tsx) (?:--version|-V|-v)$|cargo (?:tree|metadata|locate-project|pkgid|version)|rustup (?:show|which)|go (?:version|env|list|doc)|pip3? (?:list|show|freeze|check)|uv pip (?:list|show|freeze)|python3? -m (?:json\.tool|pip (?:list|show|freeze|check))|(?:terraform|helm) version|kubectl version --client|dotnet --(?:info|list-sdks)|gem (?:list|env)|bundle list|poetry show)(?= |$)/;
/** Neither changes settings nor names a program or a host. */
const ARGUMENT = /^(?:[\w@.,:+-]+(?:\/[\w@.,:+-]+)*\/?|--?[a-zA-Z][\w-]*(?:=[\w.,:@-]+)?)$/;
const CHANGES =
  /^--?(?:w|u|fix|registry|config.*|(?:script-)?shell|toolexec|vettool|exec|node-options|index-url|url|log|http)(?:=|$)/;

export const asksProjectTool = (name: string, args: readonly Word[]): boolean =>
  args.every(
    ({ text, exact, glob }) =>
      exact &&
      glob === undefined &&
      ARGUMENT.test(text) &&
      !text.replace(/\/\.\.\.$/, "").includes("..") &&
      !CHANGES.test(text),
  ) &&
  // A second name would run: `npm run x`, or be written: `json.tool in out`.
  !(/^(?:npm|pnpm|yarn) run$/.test(`${name} ${args[0]?.text}`) && args.length > 1) &&
  !(args[1]?.text === "json.tool" && args.length > 3) &&
  QUESTIONS.test(joined([{ text: name }, ...args]));
