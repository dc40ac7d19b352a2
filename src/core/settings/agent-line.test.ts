import { expect, it } from "vitest";
import { agentLine, withProgram } from "./agent-line.ts";

it.each([
  ["acp:my-agent --stdio", ["my-agent", "--stdio"]],
  ['acp:"/a b/agent" --name "x y"', ["/a b/agent", "--name", "x y"]],
  ["acp:'/a b/agent' --name='x y'", ["/a b/agent", "--name=x y"]],
  ["acp:it's here", ["it's", "here"]],
])("splits a command as a shell does: %s", (spec, command) => {
  expect(agentLine(spec)).toEqual({ spec, preset: null, command });
});

it("takes the shortest path of a file as the program, where it is absolute", () => {
  const command = ["/a", "b/agent", "--stdio"];
  expect(withProgram(command, (path) => path === "/a b/agent")).toEqual(["/a b/agent", "--stdio"]);
  expect(withProgram(command, () => true)).toEqual(command);
  expect(withProgram(command, () => false)).toEqual(command);
  expect(withProgram(["a", "b"], () => true)).toEqual(["a", "b"]);
});
