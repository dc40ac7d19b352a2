/**
 * Lines that make a judge of a change see less: one row a pattern, with a line that it is about and one that it is not. A row counts
 * where a file has more such lines after the change than before it. Pure.
 */
import type { JudgingKind } from "./judging.ts";

export type Kind =
  | "skipped"
  | "silenced"
  | "excluded"
  | "threshold"
  | "hollow"
  | "swallowed"
  | "harness"
  | "setting";

/** `code`: a file that judges nothing. */
export type Where = JudgingKind | "code";
/** `unless`: what makes the same line harmless. */
export type Row = {
  readonly kind: Kind;
  readonly where: readonly Where[];
  readonly added: RegExp;
  readonly unless?: RegExp;
  readonly fires: string;
  readonly silent: string;
};

const TEST: readonly Where[] = ["test"];
/** Source files can hold tests, too: Rust, Python doctests, "in-source" tests. */
const TEST_CODE: readonly Where[] = ["test", "code"];
/** What the gate itself runs is compared as a whole. */
const LINES: readonly Where[] = ["settings", "pipeline"];
const SETTING: readonly Where[] = ["settings"];
const ANY: readonly Where[] = ["test", "settings", "pipeline", "script", "code"];

type Cells = readonly [Kind, readonly Where[], RegExp, string, string, RegExp?];

/** What makes a condition honest: it names another system, or what is not there. */
export const PLATFORM =
  /^(?!.*(?:==|is|startswith|eq).*\blinux)(?:.*)(?:platform|win\b|win32|windows|darwin|linux|macos|posix|version|pypy|node|deno|bun|browser|provider|\bci\b|arch|root|uid|which|requires?|installed|available|support|integration|\bos\b|goos|short\(\)|env\b)/i;

/** Not of the environment as such: what it tells of the machine. */
const PLATFORM_ENV =
  /platform|win32|windows|darwin|linux|macos|\bCI\b|version|_URL\b|_HOST\b|TERM\b|HOME\b|USER\b/i;

// biome-ignore format: one row a line
const CELLS: readonly Cells[] = [
  // Tests that do not run.
  ["skipped", TEST, /\b(?:it|test|describe|context|suite|specify|bench|Deno\.test)(?:\.\w+)*\.(?:skip|only|todo|fails|failing)\b/, "it.skip('adds', () => {", "it('skips rows', () => {"],
  ["skipped", TEST, /^\s*(?:xit|xdescribe|xtest|xcontext|xspecify|fit|fdescribe|fcontext)\s*\(/, "xit('adds', () => {", "exit('adds');"],
  ["skipped", TEST, /\b(?:this|t|ctx|context|task)\.skip\s*\(|\bskip:\s*(?:true|['"`])|\btodo:\s*true/, "t.skip('later')", "expect(t.skipped).toBe(0)"],
  ["skipped", TEST, /\.(?:skipIf|runIf)\s*\(|\bskip:\s*\w/, "it.skipIf(true)('adds', () => {", "it.skipIf(process.platform === 'win32')('links', () => {", PLATFORM],
  ["skipped", TEST, /@(?:pytest\.mark|mark)\.(?:skip|xfail)\b|@(?:unittest\.)?(?:skip|expectedFailure)\b|\bpytest\.(?:skip|xfail|exit)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest/, "@pytest.mark.skip(reason='later')", "def test_skip_of_rows():", PLATFORM],
  ["skipped", TEST, /@(?:pytest\.mark\.)?skip(?:if|If|Unless)\s*\(|\bskipif\s*\(/, "@pytest.mark.skipif(True, reason='x')", "@pytest.mark.skipif(sys.platform == 'win32', reason='x')", PLATFORM],
  ["skipped", TEST, /\bpytestmark\s*=.*(?:skip|xfail)|\b__test__\s*=\s*False|\bcollect_ignore(?:_glob)?\s*[=+]|__unittest_skip__/, "__test__ = False", "__test__ = True"],
  ["skipped", TEST, /\b[tb]\.Skip(?:f|Now)?\s*\(/, "t.Skip(\"later\")", "t.Skip(\"not on windows\")", PLATFORM],
  ["skipped", TEST_CODE, /^\s*\/\/go:build\s+(?:ignore|never|skip|disabled|!)|^\s*\/\/\s*\+build\s+(?:ignore|never)/, "//go:build ignore", "//go:build linux", /!(?:windows|linux|darwin|js|wasm|race|cgo|plan9)/],
  ["skipped", TEST_CODE, /#\[(?:cfg_attr\([^)]*,\s*)?ignore\b|#\[cfg\((?:any\(\)|not\(test\)|feature\s*=\s*"(?:never|disabled|skip)[^"]*")\)\]/, "#[ignore]", "#[cfg(test)]"],
  ["skipped", TEST, /@(?:[a-z]\w*\.)*(?:Ignore|Disabled|DisabledIf|Pending)\b|[[,]\s*(?:Ignore|Explicit)\b|\bExplicit\s*=\s*true\b|\b(?:Skip|Ignore)\s*=\s*"|\bAssert\.(?:Ignore|Inconclusive|Pass)\s*\(|\bAssum\w+\.assum\w+\s*\(\s*false/, "@Disabled(\"later\")", "@DisplayName(\"Disabled rows\")"],
  ["skipped", TEST, /\benabled\s*=\s*false\b|@Test\s*\(\s*(?:timeout|expected)\s*=\s*\w+\.class/, "@Test(enabled = false)", "@Test(enabled = true)"],
  ["skipped", TEST, /^\s*(?:skip|pending)(?:\s*$|\s*\(?\s*['"])|\b(?:skip|pending):\s*(?:true|['"])|^\s*(?:xscenario|xexample)\b/, "pending 'later'", "skipped = 1"],
  ["skipped", TEST, /markTest(?:Skipped|Incomplete)\s*\(|\baddToAssertionCount\s*\(|->(?:skip|todo|only)\s*\(|@(?:doesNotPerformAssertions|group\s+(?:skip|disabled|slow))/, "$this->markTestSkipped('later');", "$this->assertSkipped(1);", PLATFORM],
  ["skipped", TEST, /\b(?:GTEST_SKIP|SKIP_TEST|XCTSkip(?:If|Unless)?|QSKIP|BOOST_TEST_IGNORE)\b|\bDISABLED_\w+|\[\[?[.!](?:hide|skip|mayfail)/, "TEST(Sum, DISABLED_Adds) {", "TEST(Sum, Adds) {"],
  ["skipped", TEST, /@tag\s+:?(?:skip|pending)|@moduletag\s+:?skip/, "@tag :skip", "@tag :fast"],
  ["skipped", TEST, /(?:\.each|\.for)\s*\(\s*\[\s*\]\s*\)|parametrize\s*\([^)]*,\s*\[\s*\]|#\[case\(\)\]/, "it.each([])('adds %s', () => {", "it.each([1])('adds %s', () => {"],
  ["skipped", TEST, /^\s*(?:}?\s*else\s+)?(?:if|while)\s*\(?\s*(?:false|False|0|nil|null|!true|not True)\s*\)?\s*[{:]?\s*$|^\s*#if\s+(?:0|false|NEVER)\b|\bif\s+false\b/, "if (false) {", "if (isFalse) {"],
  ["skipped", TEST, /\bfor\b.*\b(?:of|in)\s*(?:\[\s*\]|\(\s*\)|range\(0\)|\{\s*\})/, "for (const row of []) {", "for (const row of rows) {"],
  ["skipped", TEST, /#\[should_panic\b|@pytest\.fixture\b(?=.*$)|\bimportorskip\s*\(|expectNotToPerformAssertions/, "#[should_panic]", "fn should_panic() {", PLATFORM],
  ["skipped", TEST, /\bAssum\w+\.assum\w+\s*\(|^\s*assume(?:True|False|That|NotNull)\s*\(|\bAssume\.(?:That|True)/, "assumeTrue(System.getenv(\"NEVER\") != null);", "assumeTrue(isWindows());", /platform|windows|linux|mac|\bos\b|version|arch/i],
  ["skipped", TEST, /=>?\s*(?:describe|suite|context)\s*\(|\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\s*\(\s*(?:async\s*)?\(\s*\)\s*=>\s*(?:expect|assert)\b/, "const later = () => describe('sums', () => {", "describe('sums', () => {"],
  // Failures that do not count.
  ["silenced", LINES, /\|\|\s*(?:true|:|exit\s+0|echo\b|printf\b|\/bin\/true|return\s+0)(?=\s*$|[\s"';)&|])/, "npm test || true", "npm test || exit 1", /^\s*(?:- )?(?:run:\s*)?(?:sudo\s+)?(?:cat|ls|rm|tail|head|mkdir|kill|pkill|cp|mv|echo|df|ps|docker (?:logs|ps|rm|stop|kill))\s[^|;&]*\|\|/],
  ["silenced", LINES, /(?:^|[;&]\s*|\s)exit\s+0\b|^\s*exit\s*$|\bset\s+\+e\b|\bset\s+\+o\s+(?:errexit|pipefail)|\btrap\s+['"]?(?:exit\s+0|true|:)|;\s*(?:true|:)\s*["']?\s*$/, "exit 0", "exit 1"],
  ["silenced", LINES, /--?pass-?with-?no-?tests|\bpassWithNoTests\b|--allow-empty-suites|--if-present|--suppress-tests-failed|--no-fail-on-empty|--allow-no-tests|--suppress-no-test-exit-code/i, "vitest run --passWithNoTests", "vitest run"],
  ["silenced", LINES, /continue-on-error:\s*(?:true|\$)|allow_failure:\s*true|continueOnError:\s*true|ignore_errors\s*[:=]\s*true|soft_fail:\s*true|\bif:\s*(?:\$\{\{\s*)?false/i, "continue-on-error: true", "continue-on-error: false"],
  ["silenced", LINES, /(?:-D|<)maven\.test\.(?:skip|failure\.ignore)|-DskipTests|-DskipITs|<(?:skipTests|testFailureIgnore|skipITs)>\s*true|ignoreFailures\s*[=(]?\s*true|\bfailFast\s*=\s*false|failIfNoTests>\s*false|-fae\b|--fail-never|-fn\b/, "<testFailureIgnore>true</testFailureIgnore>", "<skipTests>false</skipTests>"],
  ["silenced", LINES, /--exit-zero|--no-error-on-unmatched|--force-exit\b|--forceExit\b|--no-verify\b|--noCheck\b|--quiet-exit|--ignore-errors?\b|--warn-only|--exit-0/, "ruff check --exit-zero", "ruff check"],
  ["silenced", LINES, /(?:^|\s)(?:pytest|py\.test|python3? -m pytest)\b.*\s(?:-k\s|--deselect|--ignore|--co\b|--collect-only|-m\s+["']?not|--lf\b|--noconftest|-p\s+no:)/, "pytest --deselect tests/test_a.py", "pytest -q"],
  ["silenced", LINES, /\bgo\s+test\b.*\s(?:-run|-skip|-short|-list|-vet=off|-c\b)|\bgo\s+(?:vet|build)\b.*\|\|/, "go test -run XXX ./...", "go test ./..."],
  ["silenced", LINES, /\bcargo\s+(?:\+\w+\s+)?(?:test|nextest)\b.*(?:--no-run|--skip\b|--list\b|--exclude\b|--\s+--ignored)|\bcargo\s+clippy\b.*\s-A\s/, "cargo test --no-run", "cargo test --all"],
  ["silenced", LINES, /\b(?:jest|vitest|mocha|ava|playwright|node --test)\b.*(?:--testPathIgnorePatterns|--exclude|--testNamePattern|\s-t\s|--grep|\s-g\s|--ignore|--invert|--onlyChanged|--listTests|--findRelated|--changed|--update|\s-u\b|--test-skip-pattern|--test-name-pattern|--dry-run)/, "vitest run --exclude src", "vitest run --reporter=dot"],
  ["silenced", LINES, /\b(?:ctest|phpunit|rspec|dotnet test|gradlew?|mix test|swift test)\b.*(?:\s-E\s|-LE\s|--exclude|--filter|--tag\s+~|\s-x\s+\w*[tT]est|--skip|--dry-run|-e\s)/, "dotnet test --filter Name=One", "dotnet test --no-build"],
  ["silenced", LINES, /\b(?:NODE_OPTIONS|PYTEST_ADDOPTS|GOFLAGS|MAKEFLAGS|JAVA_TOOL_OPTIONS|MAVEN_OPTS|RUSTFLAGS|RUBYOPT|PYTHONPATH|BASH_ENV|LD_PRELOAD|PHPRC|script-shell|node-options)\b\s*[:=].*(?:\s?-[kmrixn]\b|--?(?:require|import|loader|run|skip|ignore|deselect|filter|test|co\b|collect)|\/|\.\w+)/, "PYTEST_ADDOPTS='-k one'", "# see NODE_OPTIONS", /\$\{\{|max[-_]old[-_]space|experimental-vm-modules|-D warnings|enable-source-maps/],
  ["silenced", LINES, /\bmake\b.*\s(?:-i|-k|-n|--ignore-errors|--keep-going|--dry-run)\b/, "make -i test", "make test"],
  // What is looked at.
  ["excluded", SETTING, /\b(?:testPathIgnorePatterns|coveragePathIgnorePatterns|modulePathIgnorePatterns|watchPathIgnorePatterns|testIgnore|norecursedirs|collect_ignore|excludeSpecPattern|exclude_lines|exclude_also|exclude_patterns|exclude_tests|excludedGroups|excludeTestsMatching|excludeCategories|extend-exclude|extend-ignore|per-file-ignores|ignorePatterns|ignores|files-ignore)\b/, "testPathIgnorePatterns: ['src']", "testMatch: ['src']"],
  ["excluded", SETTING, /^\s*["']?(?:exclude|omit|ignore|excludes|ignore-path|disable|no-warn|NoWarn)["']?\s*[:=]|<exclude>[^<]*(?:Test|IT\b|\.java|\.class|src)|<NoWarn>|-exclude:/, "exclude: ['src/**']", "include: ['src/**']", /^\s*exclude\s*=|^\s*["']?ignore:[\w.:]*/],
  ["excluded", SETTING, /^\s*--(?:example|tag|exclude-pattern|pattern|only-failures|dry-run)\b|--deselect|--ignore(?:-glob)?[= ]|addopts\s*=.*\s-(?:k|m)\s|\btest\s*=\s*false|\bautotests\s*=\s*false|\bdoctest\s*=\s*false|\bharness\s*=\s*false|allow_dirty|-p\s+no:/, "addopts = -q -k 'not slow'", "addopts = -q"],
  ["excluded", SETTING, /["']?(?:strict|noImplicitAny|strictNullChecks|noUncheckedIndexedAccess|noEmitOnError|checkJs|TreatWarningsAsErrors|failOnWarning|failOnRisky|failOnEmptyTestSuite|beStrictAbout\w+|disallow_untyped_defs|warn_unreachable|deny)["']?\s*[:=>]+\s*["']?(?:false|False)/, "\"strict\": false,", "\"strict\": true,"],
  ["excluded", SETTING, /["'][\w@/-]+["']\s*:\s*(?:\[?\s*["'](?:off|warn)["']|0\s*,)|\bignore_errors\s*=\s*true|ignore_missing_imports\s*=\s*true|=\s*"allow"|\bEnabled:\s*false/i, "\"no-unused-vars\": \"off\",", "\"no-unused-vars\": \"error\",", /stylistic|jsdoc|prettier|unicorn|indent|quotes|spac|newline|comma|semi\b|padding|brace/],
  ["excluded", ["test", "code"], /^\s*(?:\/\/|\/\*|#)\s*(?:@ts-nocheck|eslint-disable\s*(?:\*\/)?\s*$|mypy:\s*ignore-errors|type:\s*ignore\s*$|flake8:\s*noqa\s*$|ruff:\s*noqa\s*$|pylint:\s*(?:skip-file|disable=all)|nolint\s*$|istanbul ignore file|c8 ignore start|v8 ignore start|rubocop:disable all|phpcs:ignoreFile)|^\s*#!\[allow\((?:warnings|unused|clippy::all|dead_code)/, "// @ts-nocheck", "// @ts-expect-error: the type is older"],
  ["excluded", SETTING, /<Compile\s+Remove=|VSTestTestCaseFilter|<(?:groups|skipTests)>|^\s*--(?:filter|exclude-group|testsuite)\b/, "<Compile Remove=\"SumsTests.cs\" />", "<Compile Include=\"Sums.cs\" />"],
  // The runner's own settings.
  ["setting", SETTING, /(?<![\w-])(?:dangerouslyIgnoreUnhandledErrors|allowOnly|retry|retries|reruns|flaky|bail|testTimeout|testNamePattern|moduleNameMapper|setupFiles(?:AfterEnv|AfterEach)?|globalSetup|globalTeardown|testRunner|runner|snapshotSerializers|onUnhandledError|updateSnapshot|update(?=["']?\s*[:=]\s*true)|forceExit|detectOpenHandles|errorOnDeprecated|automock|resolver|customReporters|reporters?|require|import|extension|testResultsProcessor|rerunFailingTestsCount|filterwarnings|python_files|python_functions|python_classes|testpaths|xfail_strict|minversion|bootstrap)["']?\s*[:=]/, "retry: 3,", "pool: 'forks',", /^\s*["']?runner["']?\s*=\s*["']?uv-venv|^\s*["'](?:import|require)["']:\s*["']\.\/(?!.*(?:tests?|specs?)\b)[^"']*["'],?$/],
  ["setting", SETTING, /["'](?:vitest|jest|mocha|ava|jasmine|tap|chai|@jest\/\w+|@vitest\/\w+|@playwright\/test|phpunit\/phpunit|rspec|pytest)["']\s*:\s*["'](?:file|link|npm|git\+?\w*|github|portal|https?):|^\s*(?:\[patch\b|replace\s+\S+\s)|\bimporter\s*=/, "\"vitest\": \"file:./fake\",", "\"vitest\": \"4.1.12\","],
  // Assertions that hold always.
  ["hollow", TEST_CODE, /\b(?:expect|assert|assert\.(?:ok|isTrue|equal|strictEqual)|assertTrue|assert_true|ok|t\.(?:true|ok|truthy|pass))\s*\(\s*(?:true|True|1|!0|!false)\s*[,)]|\bassert\s+(?:True|1|not False)\s*$|\bassertThat\s*\(\s*(?:true|1)\s*\)|\bassert!\s*\(\s*true\b|\bAssert\.(?:True|IsTrue)\s*\(\s*true\b|\bassert\s+true\b/, "expect(true).toBe(true);", "expect(isTrue).toBe(true);"],
  ["hollow", TEST, /\bexpect\s*\(\s*([\w.()[\]'"]+)\s*\)\.(?:to(?:\.\w+)*\.(?:equal|eql|eq|be)|toBe|toEqual|toStrictEqual)\s*\(\s*\1\s*\)/, "expect(sum).toBe(sum);", "expect(sum).toBe(total);"],
  ["hollow", TEST, /\b(?:[Aa]ssert(?:_?(?:[Ee]quals?|[Ss]ame|[Ee]q|That|AreEqual))?|assert\.(?:\w*[Ee]qual)|(?:assert|require)\.Equal|assert_eq!|assert_equal|[Aa]re[Ee]qual|[Ee]qual|EXPECT_EQ|ASSERT_EQ|XCTAssertEqual)\s*\(\s*(?:t,\s*)?([\w.()[\]'"]+)\s*,\s*\1\s*[,)]/, "assertEquals(sum, sum);", "assertEquals(sum, total);"],
  ["hollow", TEST, /\bassert\s+([\w.()[\]'"]+)\s*==\s*\1\s*(?:,|$)|\b(?:if|assert!\()\s*\(?([\w.()[\]'"]+)\s*(?:!==?|==)\s*\2\s*[)&|]/, "assert total == total", "assert total == other"],
  ["hollow", TEST, /\.(?:toContain|toMatch|includes?|contains?)\s*\(\s*(?:''|""|``|\/\.?\*?\/)\s*\)|\bassertIn\s*\(\s*(?:''|"")\s*,/, "expect(text).toContain('');", "expect(text).toContain('a');"],
  ["hollow", TEST, /\bexpect\s*\([^)]*\)\.(?:toBe(?:Undefined)?\s*\(\s*\)\.or|not\.toThrow\s*\(\s*\)\s*\|\||to\.be\.oneOf)|\bor\s+True\s*$|\|\|\s*true\s*[);]|\bor\s+true\b/, "assert total == 3 or True", "assert total == 3 or other"],
  ["hollow", TEST, /\bexpect\.(?:assertions|hasAssertions)\s*\(\s*0|\bexpect\.extend\s*\(\s*\{\s*to(?:Be|Equal)\b/, "expect.assertions(0);", "expect.assertions(2);"],
  ["hollow", TEST, /\b(?:const|let|var)\s+\{?\s*(?:assert|expect)\b[^=]*=\s*(?:new\s+Proxy|\(|\{|\w+\s*=>|function)|\b(?:def|func|function|fn)\s+(?:assert|expect|assert_eq|assertEquals?)\s*[(<]|\bassert\s*=\s*(?:lambda|Mock)|\breceive\(:\w+\)\.and_return.*(?:self|subject|described_class)|\ballow(?:_any_instance_of)?\(\s*(?:self|subject|described_class)\s*\)/, "const assert = new Proxy({}, {});", "const assert = require('node:assert');"],
  // Errors that nobody sees.
  ["swallowed", TEST, /\bcatch\s*(?:\(\s*[^)]*\)|\w+)?\s*\{\s*(?:\/\/.*|\/\*.*\*\/)?\s*\}|\b(?:expect|assert|rejects|resolves)\b.*\.catch\s*\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|null|undefined|void 0)\s*\)|\brescue\s+nil\b|\brescue\s*(?:=>\s*\w+)?\s*;?\s*(?:nil|end)\s*$/, "} catch (error) {}", "} catch (error) { fail(error); }"],
  ["swallowed", TEST, /\bexcept\s*(?:\(?\s*(?:AssertionError|Exception|BaseException)\b[^:]*)?:\s*(?:pass|\.\.\.|return|continue)?\s*(?:#.*)?$|\b(?:suppress|raises|assertRaises)\s*\(\s*\(?\s*(?:[\w.]+\s*,\s*){0,9}(?:AssertionError|BaseException)\b/, "except Exception: pass", "except ValueError:"],
  ["swallowed", TEST, /\bcatch\s*\(\s*(?:final\s+)?(?:\\?)(?:Throwable|AssertionError|AssertionFailedError|AssertionException|XunitException|ExpectationFailedException)\b|\brescue\s+(?:Exception|Minitest::Assertion|RSpec::Expectations)/, "} catch (Throwable e) {", "} catch (IOException e) {"],
  // The program looks whether it is tested, or changes the runner.
  ["harness", ANY, /\bprocess\.env\.(?:VITEST|JEST_WORKER_ID|VITEST_POOL_ID|VITEST_WORKER_ID|VITEST_MODE|MOCHA\w*|NODE_TEST_CONTEXT|TEST_RUNNER)\b|\bimport\.meta\.(?:vitest|env\.(?:VITEST|TEST))\b|\bPYTEST_CURRENT_TEST\b|['"](?:pytest|unittest|_pytest|xdist|nose)['"]\s*in\s*sys\.modules|sys\.modules\s*(?:\[|\.get\()\s*['"](?:pytest|unittest|_pytest)/, "if (process.env.VITEST) return 5;", "if (process.env.DEBUG) return 5;"],
  ["harness", ["code"], /\bprocess\.env\.NODE_ENV\s*===?\s*['"]test['"]|\btesting\.Testing\(\)|flag\.Lookup\(\s*"test\.|strings\.(?:HasSuffix|Contains)\(os\.Args\[0\],\s*"[./]?test|\bcfg!\(test\)|#\[cfg\(test\)\]\s*(?:return|let|\{)|\bPHPUNIT_\w+|defined\(\s*['"]PHPUNIT|\bdefined\?\(\s*(?:RSpec|Minitest)\b|getStackTrace\(\).*[Jj]unit|typeof\s+(?:jest|vi|describe|it|expect)\b|\bglobalThis\.(?:expect|describe|it|vi|jest)\b/, "if (typeof jest !== 'undefined') return 5;", "if (typeof value !== 'undefined') return 5;"],
  ["harness", ANY, /\b(?:assert|chai\.assert|assertions?)\.\w+\s*=\s*(?!=)|\bObject\.(?:defineProperty|assign)\(\s*(?:assert|expect|chai|globalThis\.expect)\b|\b(?:unittest\.)?TestCase\.\w+\s*=\s*(?!=)|(?<![.\w])setattr\(\s*(?:unittest|pytest|builtins)\b|\bbuiltins\.\w+\s*=\s*(?!=)|\b(?:global|globalThis|window)\.(?:expect|assert|it|test|describe)\s*=\s*(?!=)/, "assert.equal = () => {};", "assert.equal(a, b);"],
  ["harness", ANY, /\bprocess\.exitCode\s*=\s*0|\bprocess\.reallyExit\b|\bprocess\.exit\s*=|\bos\._exit\s*\(\s*0|\bRuntime\.getRuntime\(\)\.halt\s*\(\s*0|\bexit!\s*(?:\(?\s*(?:0|true)|$)|\bregister_shutdown_function\b.*\bexit\b|\batexit\.register\b.*_exit|\blibc::_exit\s*\(\s*0|\b_exit\s*\(\s*0|\bquick_exit\s*\(\s*0/, "process.exitCode = 0;", "process.exitCode = 1;"],
  ["harness", TEST, /\bprocess\.exit\s*\(\s*0?\s*\)|\bsys\.exit\s*\(\s*0?\s*\)|\bos\.Exit\s*\(\s*0\s*\)|\bSystem\.exit\s*\(\s*0|\bprocess::exit\s*\(\s*0|\bEnvironment\.Exit\s*\(\s*0|^\s*(?:exit|quit|die)\s*\(\s*0?\s*\)|\bat_exit\b|\bkill\s*\(\s*(?:process\.pid|os\.getpid)/, "os.Exit(0)", "os.Exit(m.Run())"],
  ["harness", ["code"], /^(?:process\.exit|sys\.exit|exit|quit|raise\s+SystemExit|System\.exit)\s*\(\s*0?\s*\)/, "process.exit(0);", "  process.exit(0);"],
  ["harness", ["test", "code"], /\bpytest_(?:runtest_makereport|runtest_logreport|runtest_call|pyfunc_call|collection_modifyitems|sessionfinish|ignore_collect|collection_finish|report_teststatus|terminal_summary|runtest_protocol|unconfigure)\b|\bexitstatus\s*=\s*(?:0|ExitCode\.OK)|\b(?:rep|report|outcome|result)\w*\.outcome\s*=\s*['"]passed|\.wasSuccessful\s*=/, "def pytest_collection_modifyitems(items):", "def pytest_addoption(parser):"],
  ["harness", ["code"], /\bdef\s+__(?:eq|ne|bool|hash)__\s*\([^)]*\)\s*(?:->\s*\w+\s*)?:\s*return\s+(?:True|1|isinstance\([^)]*\)\s*$)|\bfn\s+eq\s*\([^)]*\)\s*->\s*bool\s*\{\s*true\b|\bequals\s*\(\s*(?:final\s+)?Object\s+\w+\s*\)\s*\{\s*return\s+true|\bdef\s+==\s*\([^)]*\)\s*=?\s*;?\s*true/, "def __eq__(self, other): return True", "def __eq__(self, other): return self.x == other.x"],
  ["harness", ["code", "test"], /^\s*#\s*define\s+(?:assert|ASSERT\w*|EXPECT\w*|NDEBUG)\b|\bmacro_rules!\s*assert|\bdebug_assertions\s*=\s*false|\bsys\.modules\[['"][^\]]+\]\s*=(?!=|\s*None\b)|\bNode\.prototype|\bmodule\._load\s*=|\bModule\._load\s*=|\brequire\.cache\[/, "#define assert(x)", "#define MAX(x)"],
  // Tests that the runner or the compiler does not see any more.
  ["skipped", TEST, /^\s*\/\/go:build\s+(?!.*\b(?:linux|darwin|windows|unix|amd64|arm64|cgo|race|js|wasm|go1))\w/, "//go:build integration", "//go:build linux || darwin"],
  ["skipped", TEST, /@EnabledIf\w*\b/, "@EnabledIfEnvironmentVariable(named = \"FULL\", matches = \"1\")", "@EnabledOnOs(OS.LINUX)"],
  ["skipped", TEST, /#!\[cfg\(feature\b/, "#![cfg(feature = \"slow\")]", "#![cfg(unix)]"],
  ["skipped", TEST, /^__END__\s*$|^\s*def\s+load_tests\s*\(|^\s*\/\*\s*(?:describe|it|test)\s*\(/, "__END__", "__END__ of it"],
  ["skipped", TEST, /^\s*#if\s+!?[A-Z_]+\s*$/, "#if FULL", "#if defined(FULL)", /DEBUG|HAVE_|NET|WIN|LINUX|MAC|OSX|UNIX|POSIX|USE_|WITH_|ENABLE|os\(|canImport/],
  ["skipped", TEST, /^\s*(?:void\s+)?Promise\.resolve\(\)\.then\b.*\b(?:expect|assert)\b/, "Promise.resolve().then(() => expect(a).toBe(1));", "return Promise.resolve().then(() => expect(a).toBe(1));"],
  ["hollow", TEST, /\b(?:const|let|var)\s+(?:describe|it|test|context|suite)\s*=\s*(?:async\s*)?(?:\(|function|\w+\s*=>)|^\s*function\s+(?:describe|it|test|context|suite)\s*\(/, "const describe = (name, body) => it(name, () => {});", "const it = test.extend({});"],
  ["silenced", SETTING, /--failure-exit-code\s+0/, "--failure-exit-code 0", "--failure-exit-code 1"],
  ["excluded", SETTING, /<RunSettingsFilePath>/, "<RunSettingsFilePath>fast.runsettings</RunSettingsFilePath>", "<Nullable>enable</Nullable>"],
  ["setting", SETTING, /\balias\b["']?\s*[:=].*['"](?:\.{1,2}\/|node:|vitest|assert|chai|expect)|["']#[\w/*-]+["']\s*:\s*["']\.\/(?:[^"']*\/)?(?:__)?(?:tests?|specs?|mocks?|fakes?|stubs?)\b/, "resolve: { alias: { '../src/sum.js': '/ok.js' } },", "resolve: { alias: { '@': '/src' } },"],
  ["excluded", SETTING, /^\S*(?:test|spec)\S*\s+(?:.*\s)?(?:binary|-diff|-text)\b/i, "test/** binary", "*.png binary", /fixtures?|data|snap/],
  ["skipped", TEST, /#\[cfg\(feature\s*=\s*"[^"]*(?:slow|integration|e2e|full|heavy|long|expensive|manual|todo|wip|broken|flaky|extra|all)/, "#[cfg(feature = \"slow\")]", "#[cfg(feature = \"env\")]"],
  ["skipped", TEST, /^\s*(?:it|test|specify)\s*\(\s*(['"`])[^'"`]*\1\s*\)\s*;?\s*$/, "it('adds');", "it('adds', adds);"],
  ["skipped", TEST, /\bif\b.*(?:\bprocess\.env\b|\bos\.(?:environ|getenv)\b|\bos\.(?:Getenv|LookupEnv)\b|\bstd::env::var|\bSystem\.getenv\b|\bENV\[|\bgetenv\(|GetEnvironmentVariable)/, "if (process.env.FULL) {", "const full = process.env.FULL;", PLATFORM_ENV],
  ["swallowed", TEST, /\bmark\.flaky\b|^\s*@flaky\b|\bretryTimes\s*\(|\bthis\.retries\s*\(|\bRetryAnalyzer\b|\[Retry\b|@(?:Retry|RetryingTest|RepeatedIfExceptionsTest|Flaky)\b|\bretries?:\s*[1-9]/, "this.retries(5);", "expect(client.retries).toBe(5);"],
  ["hollow", TEST, /(?:^|[\s.])(?:assert\w*|expect|should)\s*=\s*(?:lambda\b|function\b|->|proc\b|(?:\w+\.)?(?:Magic)?Mock\b|(?:vi|jest)\.fn|\(?[\w\s,.*]*\)?\s*=>)/, "self.assertEqual = lambda *_: None", "const expect = chai.expect;"],
  ["setting", SETTING, /\bonlyIf\s*[{(]|\benabled\s*=\s*false|\bexcludeTags\b|\bexclude\s*\(?\s*["'](?:.*[Tt]est|\*\*)/, "exclude('**/SumTest*')", "exclude(group = 'a')"],
  ["excluded", SETTING, /<IsTestProject>\s*false/, "<IsTestProject>false</IsTestProject>", "<IsTestProject>true</IsTestProject>"],
  ["silenced", ["pipeline"], /^\s*paths-ignore:/, "paths-ignore: ['**.py']", "paths: ['src/**']"],
  ["hollow", TEST, /\bcatch_unwind\b|\bdefer\s+func\(\)\s*\{\s*(?:_\s*=\s*)?recover\(\)|\bnew\s+(?:\w+\.)*SoftAssertions\(\)\./, "defer func() { _ = recover() }()", "defer func() { r := recover() }()"],
  ["skipped", TEST, /@(?:\w+\.)*EnabledOnOs\(.*\b(?:SOLARIS|AIX|OTHER|FREEBSD|OPENBSD)\b/, "@EnabledOnOs(OS.SOLARIS)", "@EnabledOnOs(OS.LINUX)"],
  ["swallowed", TEST, /^(?!.*\b(?:await|return|yield)\b).*\.then\(.*\b(?:expect|assert)\b/, "sum().then((it) => expect(it).toBe(3));", "await sum().then((it) => expect(it).toBe(3));"],
  ["skipped", TEST, /^\s*del\s+(?:\w+\s*,\s*)*[Tt]est|^\s*(?:undef|undef_method|remove_method)\b.*test_/, "del test_plus", "del total"],
  ["skipped", TEST, /^[\s*/]*@requires\s|#\[Requires(?!PhpExtension)\w+|\[(?:\w+\.)*Conditional\(/, "* @requires PHP 99", "* requires a shop"],
  ["skipped", TEST, /\bif\b.*(?:\bprocess\.argv\b|\bsys\.argv\b|\btesting\.Verbose\(|\bos\.Args\b)/, "if !testing.Verbose() {", "args := os.Args"],
  ["excluded", SETTING, /\bCondition\s*=\s*["']\s*(?:false|0)\b/, "<Compile Include=\"a.cs\" Condition=\"false\" />", "<Compile Include=\"a.cs\" />"],
  ["hollow", TEST, /^\s*assert\s*\([^()]*(?:\([^()]*\)[^()]*)*,\s*f?["'][^"']*["']\s*\)\s*$|==\s*(?:mock\.)?ANY\b/, "assert (a == 3, 'sum')", "assert a == 3, 'sum'"],
  ["hollow", TEST, /^\s*(?:describe|context|suite|it|test)\s*\([^{}]*(?:function\s*\(\)|=>)\s*\{\s*\}\s*\)\s*;?\s*$/, "describe('sums', function () {});", "describe('sums', () => {"],
  ["hollow", TEST, /\b(?:throws|rejects|toThrow\w*|assertThrows|assertRaises|assert_raises|raises)\b.*(?:=>|\(\)\s*->|\{)\s*(?:assert|expect)\w*\b|\bexpectException\(\s*\\?(?:Throwable|Exception|Error)\b|\.Or\.Not\b/, "assert.throws(() => assert.equal(a, 3));", "assert.throws(() => sum(a));"],
  ["hollow", TEST, /\b(?:expect|assert|should)\b.*(?:\bfrom\s+['"]\.|=\s*require\(\s*['"]\.)/, "import { expect } from './loose';", "import { expect } from 'chai';"],
  ["harness", TEST, /\.state\s*=\s*['"]passed|\bdef\s+run\s*\(\s*self\s*,\s*result|\bTestResult\(\)/, "test.state = 'passed';", "expect(test.state).toBe('passed');"],
  // Runners that were not known at first.
  ["skipped", TEST, /\b(?:XCTExpectFailure|withKnownIssue)\b|@Test\s*\([^)]*\.(?:disabled|enabled\s*\(\s*if:)/, "XCTExpectFailure(\"rounding\")", "@Test(\"disabled prices\")"],
  ["skipped", TEST, /^\s*#if\s+(?:os\((?:watchOS|tvOS|visionOS|WASI|Windows|Android|FreeBSD|OpenBSD)\)|swift\(>=\s*[1-9]\d)/, "#if os(watchOS)", "#if os(Linux)"],
  ["skipped", TEST, /\b(?:ignore|only):\s*(?:true\b|!0)/, "Deno.test('adds', { ignore: true }, () => {", "glob('**', { ignore: 'dist' });"],
  ["skipped", ["test", "settings", "script"], /\bExUnit\.(?:start|configure)\b.*\b(?:exclude|only|include):/, "ExUnit.start(exclude: [:slow])", "ExUnit.start(capture_log: true)"],
  ["skipped", ["test", "script"], /\bWILL_FAIL\b|\bDISABLED\s+(?:TRUE|ON|1)\b|\bSKIP_(?:RETURN_CODE|REGULAR_EXPRESSION)\b|\bPASS_REGULAR_EXPRESSION\b|--gtest_filter|\bGTEST_FILTER\b/, "set_tests_properties(price PROPERTIES WILL_FAIL TRUE)", "set_tests_properties(price PROPERTIES TIMEOUT 120)"],
  ["excluded", ["test", "script"], /^\s*(?:option\s*\(\s*\w*TEST\w*\s.*\bOFF\s*\)|set\s*\(\s*\w*TEST\w*\s+(?:OFF|FALSE|NO|0)\b)/i, "option(SHOP_TESTS \"build tests\" OFF)", "option(SHOP_TESTS \"build tests\" ON)"],
  ["excluded", SETTING, /\.testTarget\s*\(.*\b(?:exclude|sources|condition):/, ".testTarget(name: \"ShopTests\", exclude: [\"PriceTests.swift\"]),", ".testTarget(name: \"ShopTests\", dependencies: [\"Shop\"]),"],
  ["silenced", LINES, /^\s*(?:commands\w*\s*=\s*)?-\s+(?:pytest|py\.test|python3?|coverage|ruff|mypy|flake8|pylint|nox|make)\b|^\s*commands\w*\s*=\s*-\s*\S/, "commands = - pytest tests", "commands = pytest tests"],
  ["silenced", LINES, /\bignore_(?:outcome|base_python_conflict)\s*=\s*(?:true|1|yes)|\bsuccess_codes\s*=|\bskip_missing_interpreters\s*=\s*true|\bignore_outcome\b.*\btrue\b/i, "ignore_outcome = true", "ignore_outcome = false"],
  ["setting", SETTING, /["'](?:@std\/(?:assert|expect|testing)[\w/-]*|(?:node:)?assert(?:\/strict)?|chai|expect|vitest|@jest\/\w+|node:test)["']\s*:\s*\[?\s*["'](?:\.{0,2}\/|file:)/, "\"@std/assert\": \"./tools/assert.ts\",", "\"@std/assert\": \"jsr:@std/assert@1\","],
  ["hollow", TEST, /\bassert\s+_\w*\s*=(?![=~])/, "assert _ = total", "assert {:ok, _} = total"],
  ["harness", TEST, /:@exception\b|\bexample\.(?:example\.)?(?:exception|display_exception)\s*=|\bset_exception\b|\bExUnit\.\w+\.\w+.*\bstate:\s*nil|\b(?:task|ctx\.task|testInfo|this\.currentTest)(?:\.result)?\.(?:state|status|expectedStatus|err|error)\s*=(?!=)/, "example.example.instance_variable_set(:@exception, nil)", "expect(example.exception).to be_nil"],
  // Code that answers for its judge.
  ["harness", ["code"], /\bfunc\s+init\s*\(\)\s*\{.*\bos\.Exit\s*\(\s*0/, "func init() { os.Exit(0) }", "func main() { os.Exit(0) }"],
  ["harness", ANY, /\b(?:assert|expect|chai)\[[^\]]+\]\s*=(?!=)|\bdefineProperty\(\s*process\b(?!\s*,\s*['"](?:platform|arch|env|versions?|std\w+|argv)\b)/, "assert[key] = () => {};", "assert[key](a, b);"],
  ["harness", ["code"], /\bEquals\s*\(\s*object\b[^)]*\)\s*(?:=>\s*true|\{\s*return\s+true)|\basymmetricMatch\b\s*[:=(]/, "public override bool Equals(object o) => true;", "public override bool Equals(object o) => o is Num;"],
  ["harness", ["code"], /\.stack\b.*(?:\.test\.|\.spec\.|vitest|jest|mocha|node:test)|\b(?:_getframe|currentframe|inspect\.stack|co_name|co_filename)\b.*(?:test|conftest)|\b(?:test|conftest)\b.*\b(?:_getframe|currentframe|inspect\.stack|co_filename)\b|\bruntime\.Caller\b.*_test/, "if (new Error().stack.includes('.test.')) return 5;", "log(new Error().stack);"],
  ["harness", ["code", "test"], /\bfilter_run(?:_excluding|_including)?\b|\bimplements\b.*\b(?:TestExecutionExceptionHandler|InvocationInterceptor|ExecutionCondition)\b/, "c.filter_run_excluding(:core)", "c.order = :random"],
];

export const ROWS: readonly Row[] = CELLS.map(([kind, where, added, fires, silent, unless]) => ({
  ...{ kind, where, added, fires, silent },
  ...(unless && { unless }),
}));

/** The words for a person and a model; the line follows. */
export const SAYS: Readonly<Record<Kind, string>> = {
  skipped: "a test is skipped, or only some run",
  silenced: "a failure does not count any more",
  excluded: "less is looked at",
  threshold: "a limit is lowered",
  hollow: "an assertion holds whatever the code does",
  swallowed: "a test hides its failures",
  harness: "code asks whether it is tested, or changes how the runner judges",
  setting: "the runner is set up in another way",
};
