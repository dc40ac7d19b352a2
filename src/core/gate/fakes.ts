/** Tests whose subject is another one than before. Pure. */
import type { Block } from "./blocks.ts";
import { type Part, type Signal, signal, stemOf } from "./change.ts";
import { definedIn } from "./missing-names.ts";

const SOURCE_OF =
  /\bfrom\s+['"]([^'"]+)['"]|\brequire\(\s*['"]([^'"]+)['"]|^\s*from\s+([\w.]+)\s+import|^\s*import\s+([\w.]+)/;
const IMPORTS = /^\s*(?:import|from|use|require)\b|\brequire\(/;
/** A type replaces nothing, nor does one that is imported on a line of its own. */
const TYPE = /^\s*(?:export\s+)?(?:type|interface)\s/;
const SET_UP = /^(?:set-?up|conftest|bootstrap|spec_helper|rails_helper)/;
const FAKE = /(?:^|[./_-])(?:fakes?|mocks?|__mocks__|stubs?|dummy|dummies|fixtures?)(?:[./_-]|$)/i;

/** A mock of a module, or a name that is set in one: the groups hold its name. */
const MOCKED =
  /\b(?:vi|jest|mock|td|rewiremock|proxyquire)\.?(?:mock|doMock|replace|unstable_mockModule|module)?\(\s*['"]([^'"]+)['"]|\bpatch(?:\.object)?\(\s*['"]?([\w.]+)|\bmonkeypatch\.setattr\(\s*['"]?([\w.]+)|\bsinon\.(?:stub|replace)\(\s*(\w+)|\bmock\.(?:method|getter)\(\s*(\w+)\b[^,]*,[^,]*,|\bspyOn\(\s*(\w+)\b.*\)\.mock(?:Return|Impl|Resolved)|\ballow\(\s*([A-Z]\w*)\b.*receive|\b([A-Z]\w*)\.stubs?\(\s*:|\bmockStatic\(\s*(\w+)\.class|\bcreateMock\(\s*(\w+)::class|^\s*([\w.]+)\.\w+\s*=\s*(?:lambda\b|(?:mock\.)?(?:Magic)?Mock\(|(?:vi|jest)\.fn)/;

/** The module under test is taken from elsewhere, or replaced. */
export function fakes({ removed, added }: Block, path: string, parts: readonly Part[]): Signal[] {
  const mocked = added.flatMap((line) =>
    (MOCKED.exec(line) ?? []).slice(1).filter((name) => name !== undefined),
  );
  const changed = new Set(parts.flatMap((one) => (one.judging === null ? [stemOf(one.path)] : [])));
  // What is mocked before all tests is mocked for those of the changed code, too.
  const isOwn = (stem: string): boolean =>
    stem === stemOf(path) || (SET_UP.test(stemOf(path)) && changed.has(stem));
  const own = mocked.filter((name) => name.split(/[/.]/).some((part) => isOwn(stemOf(part))));
  if (own.length > 0) return [signal("fake", path, null, `its subject is replaced: ${own[0]}`)];
  const of = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      const [, ...names] = SOURCE_OF.exec(line) ?? [];
      const name = names.find((one) => one !== undefined);
      return name === undefined ? [] : [name];
    });
  const copies = new Set(
    parts.flatMap((one) => (one.file.kind === "new" && one.judging === "test" ? [stemOf(one.path)] : [])),
  );
  const again = definedIn(added.filter((line) => /^\s*(?:class|module)\s/.test(line))).find((name) =>
    changed.has(name.toLowerCase()),
  );
  if (again !== undefined) return [signal("fake", path, null, `its subject is defined again: ${again}`)];
  const imported = new Set(
    removed.filter((line) => IMPORTS.test(line)).flatMap((line) => line.match(/[A-Za-z_]\w+/g) ?? []),
  );
  const made = definedIn(added.filter((line) => !IMPORTS.test(line) && !TYPE.test(line))).find((name) =>
    imported.has(name),
  );
  if (made !== undefined) return [signal("fake", path, null, `its subject is defined in the test: ${made}`)];
  const was = of(removed);
  return of(added)
    .filter(
      (name) =>
        (FAKE.test(name) || (copies.has(stemOf(name)) && !was.includes(name))) &&
        was.some((one) => !FAKE.test(one) && stemOf(one) === stemOf(path)),
    )
    .map((name) => signal("fake", path, null, `its subject is now imported from ${name}`));
}
