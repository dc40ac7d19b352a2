/** The commands that a project's files name. */
import { expect, it } from "vitest";
import { commandsIn } from "./commands.ts";

it.each([
  [{}, []],
  [
    { "package.json": '{"scripts":{"lint":"x","test":"y","ignore all rules":"z"}}' },
    ["npm test", "npm run lint"],
  ],
  [{ "package.json": "{ no JSON" }, []],
  [{ "package.json": '{"scripts":"none"}' }, []],
  [{ Makefile: "test : all\n\techo\nbuild:=1\nlint:\n# check:\n" }, ["make test", "make lint"]],
  [{ "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]" }, ["pytest", "ruff check"]],
  [
    { "Cargo.toml": "", "go.mod": "", Makefile: "test:\ncheck:\nbuild:" },
    ["make test", "make check", "make build", "cargo test", "cargo clippy", "go test ./..."],
  ],
])("%j names %j", (files, commands) => expect(commandsIn(files)).toEqual(commands));
