import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { readServers, showResult, toolNames } from "./mcp.ts";

describe("names of MCP tools", () => {
  it("are mcp__server__tool where that fits", () => {
    expect([...toolNames("files", ["read", "list dir"]).values()]).toEqual([
      "mcp__files__read",
      "mcp__files__list_dir",
    ]);
  });
  it("differ and fit, whatever servers call their tools", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 120 }), { maxLength: 30 }),
        (server, tools) => {
          const names = [...toolNames(server, tools).values()];
          expect(new Set(names).size).toBe(tools.length);
          for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        },
      ),
      FUZZ,
    );
  });
  it("keep clear of names that another server took", () => {
    const first = toolNames("a.b", ["x"]);
    const second = toolNames("a_b", ["x"], new Set(first.values()));
    expect(second.get("x")).not.toBe(first.get("x"));
  });
});

describe("a server file", () => {
  it("is filled from the environment and keeps good entries beside bad ones", () => {
    const { servers, problems } = readServers(
      {
        mcpServers: {
          good: { command: "node", args: ["${HERE}", "${NONE:-x}"] },
          web: { type: "http", url: "http://127.0.0.1:1/mcp" },
          bad: { args: [] },
          unset: { command: "${NOWHERE}" },
          off: { command: "x", args: ["${NOT_SET}"], disabled: true },
        },
      },
      { HERE: "there" },
    );
    expect(servers.map((s) => s.name)).toEqual(["good", "web"]);
    expect(servers[0]?.config).toMatchObject({ args: ["there", "x"] });
    expect(problems).toHaveLength(2);
    expect(problems.join("\n")).toMatch(/"bad".*command[\s\S]*"unset".*NOWHERE/);
  });
  it.each(["npx server", null, 7, true])("names an entry that is %j, and reads the others", (entry) => {
    const { servers, problems } = readServers({ mcpServers: { odd: entry, good: { command: "node" } } }, {});
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toEqual([expect.stringContaining('server "odd": entry: ')]);
  });
  it("says what it expects of another file", () => {
    expect(readServers([], {}).problems).toEqual([expect.stringContaining("mcpServers")]);
  });
});

it("results read as text; what cannot be read is named", () => {
  expect(
    showResult(
      [
        { type: "text", text: "a" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
      ],
      undefined,
    ),
  ).toBe("a\n[image, image/png, 3 bytes: cannot be shown]");
  expect(showResult([], { ok: 1 })).toContain('"ok": 1');
});

describe("a long name of an MCP tool", () => {
  const only = (server: string, tool: string, taken?: ReadonlySet<string>) =>
    toolNames(server, [tool], taken).get(tool) ?? "";
  const fitting = "x".repeat(64 - "mcp__s__".length);

  it("stays as it is up to 64 characters, and is cut and marked above", () => {
    expect(only("s", fitting)).toBe(`mcp__s__${fitting}`);
    expect(only("s", `${fitting}y`)).toMatch(/^mcp__s__x{47}_[0-9a-f]{8}$/);
  });

  it("differs from others by every character of server and tool, and does not depend on them", () => {
    const end = "y".repeat(100);
    const pairs = [
      ...["aa", "ab", "ba", "bb", "a.", "a:"].map((start) => ["s", `${end}${start}${end}`] as const),
      ...[".s", ":s"].map((server) => [server, end] as const),
    ];
    const names = pairs.map(([server, tool]) => only(server, tool));
    expect(new Set(names).size).toBe(pairs.length);
    const tools = pairs.slice(0, 6).map(([, tool]) => tool);
    expect([...toolNames("s", tools).values()]).toEqual(names.slice(0, 6));
  });

  it("differs from a marked name that is taken", () => {
    const taken = new Set<string>();
    for (let n = 0; n < 3; n += 1) taken.add(only("s", `${fitting}y`, taken));
    expect(taken.size).toBe(3);
  });
});

it("a server has a name and a command of at least one character", () => {
  const read = (name: string, command: string) => readServers({ mcpServers: { [name]: { command } } }, {});
  expect(read("s", "x")).toMatchObject({ servers: [{ name: "s" }], problems: [] });
  expect(read("s", "").problems).toEqual([expect.stringContaining('server "s": command')]);
  expect(read("a b", "x")).toEqual({
    servers: [],
    problems: ['server "a b": use up to 40 letters, digits, dots, dashes and underscores as its name'],
  });
});
