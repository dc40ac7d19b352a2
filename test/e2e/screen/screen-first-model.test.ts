/** The first minute without a key: the full screen asks which model to use, and continues with it. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";

const DOWN = "\x1b[B";

it.each([
  [60, false],
  [120, true],
])("takes a key that is typed in at %i columns, shows it never, keeps it: %s", async (columns, keeps) => {
  const place = project();
  const file = join(place.home, ".config", "ekiden", "keys.json");
  const server = await startModelServer(
    { anthropic: () => says("Good morning.") },
    { offers: ["claude-sonnet-5-5"] },
  );
  onTestFinished(() => server.close());
  const { ANTHROPIC_API_KEY: key = "", ANTHROPIC_BASE_URL = "" } = server.env;
  const env = { ANTHROPIC_BASE_URL, OLLAMA_HOST: "127.0.0.1:9" };
  const terminal = await place.open([], { columns, rows: 24, env });
  await terminal.shows("Which model shall the team use?");
  await terminal.shows(/› anthropic +claude-sonnet[\s\S]*enter chooses/);
  terminal.type("\r");
  await terminal.shows("ANTHROPIC_API_KEY: ▏");
  terminal.type(`\x1b[200~${key}\x1b[201~`);
  await terminal.shows(/ANTHROPIC_API_KEY: •+▏/);
  terminal.type("\r");
  await terminal.shows("Keep this key for the next start?");
  expect(existsSync(file)).toBe(false);
  terminal.type(keeps ? "y" : "n");
  await terminal.shows("Type what you want");
  terminal.type("Hello\r");
  await terminal.shows("Good morning.");
  expect(terminal.output).not.toContain(key);
  expect(server.requests[0]?.headers["x-api-key"]).toBe(key);
  terminal.type("/quit\r");
  expect(await terminal.ended).toBe(0);
  const next = await place.open([], { columns, rows: 24, env });
  await next.shows(keeps ? "Type what you want" : "Which model shall the team use?");
  expect(existsSync(file) && [readFileSync(file, "utf8").includes(key), statSync(file).mode & 0o777]).toEqual(
    keeps && [true, 0o600],
  );
});

it("says that a provider does not know the key, and continues without a model", async () => {
  const place = project();
  const env = { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", OLLAMA_HOST: "127.0.0.1:9" };
  const size = { columns: 100, rows: 24 };
  const terminal = await place.open([], { ...size, env });
  await terminal.shows(/ollama +not running[\s\S]*enter chooses/);
  terminal.type("\rsk-wrong\r");
  await terminal.shows("anthropic refused this key, or could not be reached");
  terminal.type(`\x1b`);
  await terminal.shows("enter chooses");
  terminal.type(`${DOWN}${DOWN}${DOWN}\r`);
  await terminal.shows("Ollama does not answer");
  terminal.type(`${DOWN}\r`);
  await terminal.shows("No model: only runbooks are run");
  // Nothing of it is kept: the same rows are there, and what the next start finds is used.
  terminal.type("/model\r");
  await terminal.shows(/Which model shall the team use\?[\s\S]*› anthropic +claude-sonnet/);
  terminal.type("\x1b");
  await terminal.shows("Type what you want");
  // A model by its name, of which only the key is missing: the key is asked for, and the model stays the named one.
  terminal.type("/model anthropic/claude-opus-5-5\r");
  await terminal.shows("ANTHROPIC_API_KEY: ▏");
  terminal.type("sk-other\r");
  await terminal.shows("refused this key, or could not be reached");
  // Another key takes the place of the refused one.
  terminal.type("x");
  await terminal.shows("ANTHROPIC_API_KEY: •▏");
  terminal.type("\r");
  await terminal.shows("refused this key, or could not be reached");
  terminal.type("\r");
  await terminal.shows("Keep this key for the next start?");
  // A line that was typed ahead answers nothing, whatever letters are in it.
  for (const letter of "/any") terminal.type(letter);
  await terminal.shows("That was a line, not an answer");
  terminal.type("\r");
  await terminal.shows("n uses it once");
  terminal.type("n");
  await terminal.shows("The lead alone on anthropic/claude-opus-5-5");
  terminal.type("/quit\r");
  expect(await terminal.ended).toBe(0);
  const last = await place.open(["--model", "runbook"], { ...size, env });
  await last.shows("No model: only runbooks are run");
  last.type("/quit\r");
  expect(await last.ended).toBe(0);
  const found = await place.open([], { ...size, env: { ...env, ANTHROPIC_API_KEY: "sk-found" } });
  await found.shows("The lead alone on anthropic/claude-sonnet");
});

it("leaves by Esc with the reason", async () => {
  const place = project();
  const terminal = await place.open([], { columns: 80, rows: 24, env: { OLLAMA_HOST: "127.0.0.1:9" } });
  await terminal.shows("esc leaves");
  terminal.type("\x1b");
  expect(await terminal.ended).toBe(3);
  expect(terminal.output).toContain("No model is configured.");
});

it("leaves to the editor what is typed before its question is there to be read", async () => {
  const place = project();
  const terminal = await place.open([], { columns: 100, rows: 24, env: { OLLAMA_HOST: "127.0.0.1:9" } });
  await terminal.shows(/─{80}/);
  terminal.type("hello\r");
  await terminal.shows(/› anthropic[\s\S]*enter chooses/);
  terminal.type(`${DOWN.repeat(12)}\r`);
  await terminal.shows(/› hello[\s\S]*Noted\. The runbook model/);
});
