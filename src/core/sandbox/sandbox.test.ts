/** The policy as data: which rule wins, which hosts a pattern covers, what is said about a failed command. */
import { describe, expect, it } from "vitest";
import { denialNote } from "./denial.ts";
import { hostAllowed, networkOf, type SandboxPlace, sandboxPolicy, writableRoots } from "./sandbox.ts";

const PLACE: SandboxPlace = {
  ...{
    cwd: "/w/src",
    home: "/home/a",
    roots: ["/w", "/w/.ekiden/worktrees/1"],
    replaced: [["/tmp", "/private"]],
  },
  ...{
    git: [{ path: "/w/.git", access: "write", guarded: ["/w/.git/config"] }],
    guarded: ["/w/.ekiden"],
  },
  visible: ["/etc", "/home/a"],
  ...{ secretFolders: ["/home/a/.ssh"], secretFiles: ["/home/a/.netrc"] },
};
const accessOf = (place: SandboxPlace, path: string, readOnly = false) =>
  sandboxPolicy(place, { readOnly }, "off").rules.findLast(
    (rule) => path === rule.path || path.startsWith(`${rule.path}/`),
  )?.access;

it.each([
  ["/w/src/a", "write", "read"],
  ["/w/.git/index", "write", "read"],
  ["/w/.git/config", "read", "read"],
  ["/w/.ekiden/settings.json", "read", "read"],
  ["/w/.ekiden/worktrees/1/a", "write", "read"],
  ["/home/a/.ssh/id", "hide", "hide"],
  ["/tmp/a", "replace", "replace"],
  ["/etc/passwd", "read", "read"],
  ["/home/b/notes", undefined, undefined],
])("%s: %s, for a read-only command %s", (path, usually, readOnly) => {
  expect([accessOf(PLACE, path), accessOf(PLACE, path, true)]).toEqual([usually, readOnly]);
});

it("a link folder that is guarded as a whole is not writable", () => {
  const git = [{ path: "/w/.git", access: "write" as const, guarded: ["/w/.git"] }];
  expect(accessOf({ ...PLACE, git }, "/w/.git/index")).toBe("read");
});

it("neither the home folder nor what contains it becomes writable", () => {
  expect(writableRoots(["/", "/home", "/home/a", "/home/a/p", "/srv"], "/home/a")).toEqual([
    "/home/a/p",
    "/srv",
  ]);
});

it("makes the folders around what is guarded mounts of their own, so that none can be renamed", () => {
  const none = { visible: [], git: [], secretFolders: [], secretFiles: [], replaced: [] };
  const rules = (roots: string[], guarded: string[], readOnly = false) =>
    sandboxPolicy({ ...none, cwd: "/w", home: "/h", roots, guarded }, { readOnly }, "off").rules.map(
      ({ access, path }) => `${access} ${path}`,
    );
  expect(rules(["/w"], ["/w/a/b/.husky"])).toEqual([
    "write /w",
    "write /w/a",
    "write /w/a/b",
    "read /w/a/b/.husky",
  ]);
  expect(rules(["/w"], ["/w/.husky"])).toEqual(["write /w", "read /w/.husky"]);
  expect(rules(["/w"], ["/w/a/.husky"], true)).toEqual(["read /w", "read /w/a", "read /w/a/.husky"]);
  // Within a guarded folder none becomes writable.
  expect(rules(["/w"], ["/w/.ekiden", "/w/.ekiden/a/hooks"])).toEqual([
    "write /w",
    "read /w/.ekiden",
    "read /w/.ekiden/a/hooks",
  ]);
  expect(rules(["/"], ["/x"])).toEqual(["write /", "read /x"]);
  // A path outside of the writable folders is read-only already.
  expect(rules(["/w"], ["/v/a/.husky"])).toEqual(["write /w"]);
  // A writable folder in another one ends the search.
  expect(rules(["/w", "/w/a"], ["/w/a/b/.husky"])).toEqual([
    "write /w",
    "write /w/a",
    "write /w/a/b",
    "read /w/a/b/.husky",
  ]);
});

it("puts the rule of a folder before those of what it contains, and keeps the last of two", () => {
  const place = {
    ...PLACE,
    cwd: "/",
    roots: ["/w", "/"],
    secretFolders: ["/w/x/y"],
    git: [],
    guarded: ["/w"],
  };
  const { rules } = sandboxPolicy({ ...place, replaced: [["/tmp", "/private"]] }, {}, "off");
  const at = (path: string) => rules.findIndex((rule) => rule.path === path);
  expect(at("/")).toBe(0);
  expect(at("/w")).toBeLessThan(at("/w/x/y"));
  expect(rules.filter(({ path }) => path === "/w")).toEqual([{ access: "read", path: "/w" }]);
});

it.each(["/home/a/.ssh", "/home/a/.ssh/id", "/home/a/.netrc"])(
  "hides %s also where a protected or closed name, or a part of .git, leads to it",
  (path) => {
    const mounts = [{ path: "/w/.git/x", by: path, writable: false }];
    const place: SandboxPlace = {
      ...PLACE,
      git: [{ path: "/w/.git", access: "write", guarded: [], mounts }],
      ...{ guarded: [path], fixed: [path] },
    };
    const { rules } = sandboxPolicy(place, {}, "off");
    expect(rules.filter((rule) => rule.path === path && rule.access !== "hide")).toEqual([]);
    expect(rules.filter((rule) => rule.access === "mount")).toEqual([]);
  },
);

it("guards a workspace that lies in a folder with secrets", () => {
  const at = "/home/a/.ssh/w";
  const place = { ...PLACE, cwd: at, roots: [at], git: [], guarded: [`${at}/.envrc`] };
  expect(accessOf(place, `${at}/.envrc`)).toBe("read");
});

it("shows the folder of a command that is in no root", () => {
  expect(accessOf({ ...PLACE, cwd: "/tmp/a" }, "/tmp/a/b")).toBe("read");
  expect(sandboxPolicy(PLACE, { network: ["*"] }, "off").network).toEqual(["*"]);
});

describe("hosts", () => {
  it.each([
    ["example.org", 443, ["example.org"], true],
    ["EXAMPLE.org.", 80, ["example.ORG"], true],
    ["example.org", 22, ["example.org"], false],
    ["example.org", 22, ["example.org:22"], true],
    ["a.example.org", 443, ["example.org"], false],
    ["a.example.org", 443, ["*.example.org"], true],
    ["example.org", 443, ["*.example.org"], false],
    ["evilexample.org", 443, ["*.example.org"], false],
    ["example.org.evil.net", 443, ["example.org"], false],
    [".example.org", 443, ["*.example.org"], false],
  ] as const)("%s:%i with %j: %s", (host, port, patterns, expected) => {
    expect(hostAllowed(host, port, patterns)).toBe(expected);
  });

  it.each([
    [["bash"], [], "off"],
    [["network(a.org)", "network( b.org )"], [], ["a.org", "b.org"]],
    [["network"], [], ["*"]],
    [["network(*)"], ["network(a.org)"], "off"],
    [["network(a.org)", "network(b.org)"], ["network(a.org)"], ["b.org"]],
    [["network(a.org)"], ["network"], "off"],
  ] as const)("allow %j, deny %j: %j", (allow, deny, expected) => {
    expect(networkOf(allow, deny)).toEqual(expected);
  });
});

describe("the note about a failed command", () => {
  const policy = sandboxPolicy(PLACE, {}, "off");
  it.each([
    ["curl: (6) Could not resolve host: a.example.org", "allow network(a.example.org)"],
    [
      "npm error code EAI_AGAIN\nnpm error getaddrinfo EAI_AGAIN registry.example.org",
      "allow network(registry.example.org)",
    ],
    ["dial tcp: lookup proxy.example.org: i/o timeout", "allow network(proxy.example.org)"],
    [
      "touch: cannot touch '/etc/x': Read-only file system",
      "/etc/x is read-only for commands. Only the workspace",
    ],
    ["bash: line 1: /etc/x: Read-only file system", "/etc/x is read-only"],
    ["/bin/bash: line 3: ./listed: Read-only file system", "./listed is read-only"],
    ["/bin/bash: line 3: listed: Read-only file system", "a path is read-only"],
    ["/bin/sh: 1: cannot create ../x: Read-only file system", "../x is read-only"],
    ["Error: EROFS: read-only file system, open '/etc/x'", "/etc/x is read-only"],
    ["OSError: [Errno 30] Read-only file system: '/etc/x'", "/etc/x is read-only"],
    ["cat: /home/a/.ssh/id: No such file or directory", "/home/a/.ssh/id is hidden"],
    ["mv: cannot move 'a' to '../.git/config': Device or resource busy", "../.git/config is read-only"],
  ])("%s", (output, expected) => {
    expect(denialNote(output, policy, [])).toContain(expected);
  });

  it("names what a link of the workspace leads to", () => {
    const real = (path: string): string =>
      path.replace("/deps/", "/linked/").replace(/^.*\/linked\//, "/home/b/other/");
    for (const output of [
      "sh: 0: cannot open deps/tool.sh: No such file",
      "cat: ./deps/tool.sh: No such file or directory",
    ])
      expect(denialNote(output, policy, [], real)).toContain("/home/b/other/tool.sh is hidden");
  });

  it("tells what the network of the command is, and that a read-only command may write nothing", () => {
    const note = (network: "off" | string[], output: string, readOnly = false) =>
      denialNote(output, sandboxPolicy(PLACE, { readOnly }, network), []);
    const output = "curl: (6) Could not resolve host: a.example.org";
    expect(note("off", output)).toContain("have no network connection. The rule");
    expect(note(["b.org"], output)).toContain(
      "but to listed hosts, through the proxy in HTTPS_PROXY. The rule",
    );
    expect(note(["*"], output)).toContain("only through the proxy in HTTPS_PROXY");
    expect(note("off", "network is unreachable")).toContain("allow network(HOST)");
    const sockets = "Error: listen EPERM: operation not permitted /tmp/tsx-0/1.pipe";
    expect(note(["*"], sockets)).toContain("allow network(unix)]");
    expect(note(["b.org", "unix"], sockets)).toBeNull();
    expect(note("off", "EROFS", true)).toContain("runs with a read-only workspace");
    expect(note("off", "EROFS")).toContain("a path is read-only for commands");
  });

  it("is none for other failures, and names a host that the proxy refused", () => {
    for (const output of [
      "1 test failed",
      "cat: /nowhere/x: No such file or directory",
      "EPERM: operation not permitted, chmod '/w/a'",
      "kill: (1) - Operation not permitted",
      "Error: ENOENT: no such file or directory, open '/w/a'",
      "bash: ./x: Permission denied",
    ])
      expect(
        denialNote(output, policy, [], () => null),
        output,
      ).toBeNull();
    expect(denialNote("", policy, ["b.org"])).toContain("allow network(b.org)");
  });
});
