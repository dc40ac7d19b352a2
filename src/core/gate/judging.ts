/**
 * The files that judge a change: tests, the settings of their runners, pipelines, and the scripts that the gate starts. The names are
 * those that the runners document; the setting `judges` adds to them. Pure.
 */
import { pathPattern } from "../paths/path-pattern.ts";
import type { PatchFile } from "../text/diff.ts";

export const JUDGING = ["test", "snapshot", "settings", "pipeline", "script"] as const;
export type JudgingKind = (typeof JUDGING)[number];

const SNAPSHOT = /(?:^|\/)__snapshots__\/|\.(?:snap|ambr|golden|approved\.\w+|verified\.\w+)$/;
/** Folders in which everything belongs to tests. */
const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|test[-_]?(?:utils|helpers|support|fixtures)|[\w.-]+[._]Tests?|androidTest|unittests?)\//i;
const TEST_NAMES: readonly RegExp[] = [
  /[._-](?:test|tests|spec|specs|e2e|cy|test-d)\.[cm]?[jt]sx?$/i,
  /(?:^|\/)(?:test|tests|spec)\.[cm]?[jt]sx?$/,
  /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests?|conftest)\.py$/,
  /_test\.(?:go|exs?|dart|cc|cpp|c|rs|rb|zig|ml)$/,
  /(?:^|\/)(?:tests?|test_[^/]*)\.(?:rs|rb|php|c|cc|cpp|zig|lua)$/,
  /(?:^|\/)(?:Test[A-Z]\w*|\w+(?:Tests?|TestCase|Specs?|IT))\.(?:java|kts?|scala|groovy|cs|fs|vb|swift|php|hs)$/,
  /_spec\.(?:rb|lua|cr)$|\.(?:bats|feature)$/,
];
/** Settings of runners, of their coverage, of linters and of types. */
const SETTINGS: readonly RegExp[] = [
  /(?:^|\/)(?:vite|vitest|jest|karma|ava|playwright|cypress|wdio|web-test-runner|stryker|nightwatch|wallaby|tap|c8|nyc)(?:\.[\w-]+)*\.(?:conf(?:ig)?|workspace|setup)\.[\w.]+$/,
  /(?:^|\/)(?:vitest\.(?:config|workspace)|jest[.-](?:config|setup|preset))[\w.-]*$/,
  /(?:^|\/)\.(?:mocharc|taprc|nycrc|c8rc|jestrc|swcrc|babelrc|eslintrc|eslintignore|stylelintrc|oxlintrc|coveragerc|flake8|pylintrc|rspec|rubocop|simplecov|golangci|ruff|editorconfig|npmrc|yarnrc|pnpmfile)(?:[._-]\w+)*$/,
  /(?:^|\/)(?:eslint|biome|oxlint|xo|tslint|stylelint)(?:\.config)?\.[\w.]+$|(?:^|\/)tsconfig[\w.-]*\.json$/,
  /(?:^|\/)(?:pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|mypy\.ini|ruff\.toml|pyrightconfig\.json)$/,
  /(?:^|\/)(?:phpunit\.xml(?:\.dist)?|phpstan\.neon(?:\.dist)?|psalm\.xml|pest\.php|codeception\.ya?ml)$/i,
  /(?:^|\/)(?:Cargo\.toml|clippy\.toml|\.clippy\.toml|nextest\.toml|\.cargo\/config(?:\.toml)?|\.config\/nextest\.toml|go\.(?:mod|work)|tarpaulin\.toml)$/,
  /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties|checkstyle\.xml|junit-platform\.properties|\.mvn\/\w+\.config|testng\.xml)$/,
  /(?:^|\/)(?:Directory\.Build\.(?:props|targets)|\w[\w.-]*\.(?:runsettings|ruleset|[cfv][sb]proj)|xunit\.runner\.json|\.globalconfig)$/,
  /(?:^|\/)(?:codecov|\.codecov|sonar-project|\.coveralls)\.\w+$|(?:^|\/)(?:CTestCustom\.cmake|CTestTestfile\.cmake|\.gcovr\.cfg|gcovr\.cfg)$/,
  /(?:^|\/)(?:\.gitattributes|Package\.swift|\.env|\.envrc)$/,
  /(?:^|\/)(?:package|composer|deno|bunfig|lerna|nx|turbo|project)\.(?:json|jsonc|toml)$/,
];
const PIPELINE =
  /^\.github\/(?:workflows|actions)\/|^\.gitlab-ci\.ya?ml$|^\.gitlab\/|^\.circleci\/|^\.buildkite\/|^azure-pipelines[\w.-]*\.ya?ml$|^Jenkinsfile|^\.travis\.yml$|^bitbucket-pipelines\.yml$|^\.drone\.yml$|^\.woodpecker/;
const SCRIPT =
  /(?:^|\/)(?:GNUmakefile|[Mm]akefile|justfile|Justfile|Taskfile\.ya?ml|Rakefile|CMakeLists\.txt|Earthfile|\.pre-commit-config\.yaml|lefthook\.ya?ml|gulpfile\.[cm]?[jt]s|Gruntfile\.[cm]?js|Guardfile|mix\.exs)$|\.mk$/;

/** Go builds such a file on that system only. */
const ELSEWHERE =
  /_(?:windows|darwin|plan9|js|wasm|solaris|aix|android|ios|freebsd|netbsd|openbsd)_test\.go$/;

/** Whether the name says that the file holds tests which run here, in whatever folder. */
export const isNamedTest = (path: string): boolean =>
  TEST_NAMES.some((one) => one.test(path)) && !ELSEWHERE.test(path);

/** Null: the file judges nothing. `judges`: patterns of the person. */
export function judgingKind(path: string, judges: readonly string[] = []): JudgingKind | null {
  if (SNAPSHOT.test(path)) return "snapshot";
  if (SETTINGS.some((one) => one.test(path))) return "settings";
  if (isNamedTest(path) || TEST_FOLDER.test(path)) return "test";
  if (PIPELINE.test(path)) return "pipeline";
  if (SCRIPT.test(path)) return "script";
  return judges.some((pattern) => pathPattern(pattern).test(path)) ? "script" : null;
}

/** Go keeps the helpers of tests in packages of any name: their functions take what runs the test. */
const GO_HELPER = /\btesting\.(?:T|TB|B)\b/;

/** Also by what the lines of a change show. */
export const judgingOf = ({ path, lines }: PatchFile, judges: readonly string[]): JudgingKind | null =>
  judgingKind(path, judges) ??
  (path.endsWith(".go") && lines.some(({ text }) => GO_HELPER.test(text)) ? "test" : null);

/** Modules that a test imports or a runner loads by name: a file of that name comes first. */
const MODULES =
  "unittest|pytest|_pytest|doctest|nose2?|coverage|hypothesis|mock|sitecustomize|usercustomize|assertpy|builtins|importlib|warnings|traceback|sys|os";
const SHADOWS: readonly RegExp[] = [
  new RegExp(`^(?:src/|lib/)?(?:${MODULES})(?:\\.py|/__init__\\.py)$`),
  /(?:^|\/)conftest\.py$|\.pth$/,
  /^(?:GNUmakefile|makefile|BSDmakefile)$/,
  /(?:^|\/)(?:pytest\.ini|\.pytest\.ini|\.env|\.envrc|\.npmrc|\.mocharc\.\w+|\.rspec|bunfig\.toml|\.noderc|node\.config\.json)$/,
  /(?:^|\/)(?:junit-platform\.properties|Directory\.Build\.(?:props|targets)|\.rspec-local|\.config\/nextest\.toml|\.bazelrc)$/,
  /(?:^|\/)(?:jest|vitest|vite|ava|karma|playwright)\.config\.\w+$|^\.cargo\/|^rust-toolchain(?:\.toml)?$|^\.mvn\//,
  /(?:^|\/)node_modules\/|^(?:\.?bin|\.venv\/bin)\/(?:npm|npx|node|pytest|python3?|go|cargo|make|sh|bash|env|mvn|gradle|ruby|rspec|php|dotnet|vitest|jest)$/,
  /^(?:npm|npx|node|pytest|go|cargo|make)(?:\.(?:sh|cmd|exe|bat|py|js))?$/,
];

/** A new file of this name takes the place of what the gate finds in the base. */
export const shadows = (path: string): boolean => SHADOWS.some((one) => one.test(path));
