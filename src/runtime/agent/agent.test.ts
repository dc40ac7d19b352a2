import { expect, it } from "vitest";
import { checkBackground } from "../../tools/background.ts";
import { readFile } from "../../tools/files/read-file.ts";
import { type Agent, traitsOf } from "./agent.ts";

it("tells a tool that looks at what continues by itself from one that does not, and from one that is not there", () => {
  const tools = new Map([checkBackground, readFile].map((tool) => [tool.name, tool]));
  const traits = traitsOf({ loadout: { tools } } as unknown as Agent);
  const watches = ["check_background", "read_file", "none"].map((tool) => traits(tool).watches);
  expect(watches).toEqual([true, false, false]);
});
