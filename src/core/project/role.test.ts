import { describe, expect, it } from "vitest";
import {
  applyRole,
  doubtsAbout,
  findRole,
  makeRole,
  type Role,
  roleCatalogue,
  roleNamed,
  rolePrompt,
} from "./role.ts";

const role = (data: unknown, body = "Review.") => makeRole(data, body, "file-name", "agents/file-name.md");

describe("a role's head", () => {
  it("reads Claude Code's names for tools as ours", () => {
    expect(
      role({ tools: "Bash(git log:*, git show:*), Read, Edit, MultiEdit, Write, Glob, Grep, Task" }).tools,
    ).toEqual(["bash", "read_file", "edit_file", "write_file", "glob", "grep", "task"]);
    expect(role({ tools: ["read_file", "mcp__docs__find"] }).tools).toEqual(["read_file", "mcp__docs__find"]);
    expect(role({ tools: "*" }).tools).toBeNull();
    expect(role({}).tools).toBeNull();
    expect(role({ tools: null }).tools).toBeNull();
    expect(role({ tools: "" }).tools).toEqual([]);
  });

  it("may name a tool that there is not: it is used, and a person hears of it", () => {
    expect(doubtsAbout(role({ tools: "Raed, Bash, send_mesage, mcp__docs__find, Teleport" }))).toEqual([
      'agents/file-name.md: unknown tool "Raed"; the role works without it. Did you mean "read"?',
      'agents/file-name.md: unknown tool "send_mesage"; the role works without it. Did you mean "send_message"?',
      'agents/file-name.md: unknown tool "Teleport"; the role works without it.',
    ]);
    expect(doubtsAbout(role({}))).toEqual([]);
  });

  it("takes its name from the file when it has none, and the model only with a provider", () => {
    expect(role(null)).toEqual({
      name: "file-name",
      description: "",
      tools: null,
      model: "",
      prompt: "Review.",
      source: "agents/file-name.md",
    });
    expect(role({ name: "reviewer", model: "anthropic/x" })).toMatchObject({
      name: "reviewer",
      model: "anthropic/x",
    });
    expect(role({ model: "inherit" }).model).toBe("");
    expect(role({ name: "编码者 (Go)" }).name).toBe("编码者 (Go)");
  });

  it.each([
    [{ name: "a\nb" }, "name must be one line of 1 to 64"],
    [{ name: 7 }, "name must be a text"],
    [{ tools: 7 }, "tools must be a list"],
    ["text", "the head"],
  ])("refuses %j", (data, message) => {
    expect(() => role(data)).toThrow(message);
  });
});

describe("applied", () => {
  const tools = ["bash", "read_file", "edit_file", "task", "mcp__a__b", "complete_task", "send_message"].map(
    (name) => ({
      name,
    }),
  );
  const left = (data: unknown) => applyRole(role(data), tools).map(({ name }) => name);

  it("leaves the tools it lists, and those of the team", () => {
    expect(left({ tools: "Read, mcp__a__b" })).toEqual([
      "read_file",
      "mcp__a__b",
      "complete_task",
      "send_message",
    ]);
    expect(left({})).toHaveLength(tools.length);
    expect(applyRole(null, tools)).toEqual(tools);
  });
});

describe("told", () => {
  it("in the catalogue, and in the prompt of who has it", () => {
    const roles = [role({ name: "reviewer", description: "Reads\ndiffs" }), role({ name: "tester" }, "")];
    expect(roleCatalogue(roles)).toBe("Roles for spawn_teammate:\n- reviewer: Reads diffs\n- tester");
    expect(roleCatalogue([])).toBe("");
    expect(rolePrompt(roleNamed(roles, "Reviewer"))).toBe("Your role, reviewer:\nReview.");
    expect(rolePrompt(roleNamed(roles, " REVIEWER "))).toBe("Your role, reviewer:\nReview.");
    expect(rolePrompt(roleNamed(roles, "tester"))).toBe("");
    expect(roleNamed(roles, "nobody")).toBeNull();
    expect(() => findRole(roles, "reviewr")).toThrow('Did you mean "reviewer"?');
    expect(() => findRole([], "x")).toThrow("Omit `role`");
  });

  it("within bounds", () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      role({ name: `r${i}`, description: "d".repeat(1000) }),
    );
    expect(roleCatalogue(many).length).toBeLessThan(8_000);
    expect(roleCatalogue(many.slice(0, 31))).toMatch(/\n\(1 more\)$/);
    expect(roleCatalogue(many.slice(0, 30))).not.toContain("more)");
    expect(role({}, "x".repeat(100_000)).prompt).toHaveLength(20_000);
  });
});

it("answers an unknown role with those that there are", () => {
  const role = (name: string) => ({ name }) as Role;
  expect(() => findRole([], "zzzzzz")).toThrow('There is no role "zzzzzz". Omit `role`.');
  expect(() => findRole([role("ab")], "zzzzzz")).toThrow('There is no role "zzzzzz". The roles: ab.');
  expect(() => findRole([role("ab"), role("cd")], "zzzzzz")).toThrow("The roles: ab, cd.");
});
