import { expect, it } from "vitest";
import { type Agent, traitsOf } from "./agent.ts";

it.each([
  ["creates", { createsTasks: true, completes: false }],
  ["splits", { createsTasks: true, completes: false }],
  ["completes", { createsTasks: false, completes: true }],
  ["claims", { createsTasks: false, completes: false }],
  [undefined, { createsTasks: false, completes: false }],
])("a tool that %s", (effect, traits) => {
  const tools = new Map([["tool", { name: "tool", access: "team", effect }]]);
  const traitsOfTool = traitsOf({ loadout: { tools } } as unknown as Agent);
  expect(traitsOfTool("tool")).toMatchObject({ ...traits, aboutTeam: true, looks: false, writes: false });
  expect(traitsOfTool("another")).toMatchObject({ createsTasks: false, completes: false, aboutTeam: false });
});
