/** A key that is given on the page: used by the next run, for this user alone, and never shown again. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isPrivate } from "../../../src/faces/web/keys.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { fails, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { addressIn } from "../../fixtures/web-program.ts";

const KEY = "sk-ant-a-key-of-the-page";

it.each([
  ["127.0.0.1", undefined, true],
  ["0.0.0.0", undefined, false],
  ["127.0.0.1", "http://example.org", false],
  ["0.0.0.0", "https://example.org", true],
])("is taken where nobody on the way can read it: %s behind %s", (host, origin, expected) => {
  const behind = origin === undefined ? undefined : { origin, host: "example.org", base: "" };
  expect(isPrivate({ host, behind })).toBe(expected);
});

describe.skipIf(!hasBrowser)("a key of a provider", () => {
  it("is given on the page, used by the next run and in the terminal, and can be forgotten", async () => {
    const server = await startModelServer({
      anthropic: ({ headers }) =>
        headers["x-api-key"] === KEY ? says("All is well.") : fails.unauthorized(),
    });
    onTestFinished(() => server.close());
    const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...env } = server.env;
    const ours = project();
    const web = ours.start(["web", "--port", "0"], env);
    const address = await addressIn(web.stdout);
    const { page } = await visit(address);
    const field = page.getByLabel("Key", { exact: true });
    await field.fill("two words");
    await page.getByRole("button", { name: "Keep the key" }).click();
    await page.getByText("A key is one word").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    // Its provider is asked before a team could start with it.
    const file = join(ours.home, ".config/ekiden/keys.json");
    await field.fill("sk-ant-of-nobody");
    await field.press("Enter");
    await page.getByText("anthropic refuses this key, so it is not kept").waitFor();
    expect(existsSync(file)).toBe(false);
    await field.fill(KEY);
    await field.press("Enter");
    await page.getByRole("status").getByText("anthropic answers with it").waitFor();
    await page.getByText("A goal needs a model").waitFor({ state: "detached" });
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["sk-ant-of-nobody", KEY]);
    expect(await faultsOfAccess(page)).toEqual([]);

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ANTHROPIC_API_KEY: KEY });
    const { origin, hash } = new URL(address);
    const ask = (token: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${origin}/api/default/keys`, { headers: { Authorization: `Bearer ${token}` }, ...init });
    const told = await (await ask(hash.replace("#token=", ""))).text();
    expect(told).toContain("kept");
    expect(told + (await page.content())).not.toContain(KEY);
    expect((await ask("a-token-that-is-wrong")).status).toBe(401);

    await page.getByLabel("Goal").fill("See whether all is well");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("link", { name: "Outcome", exact: true }).first().click();
    await page.getByText("All is well.").waitFor();
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toContain(KEY);
    const before = server.requests.length;
    expect(await ours.run(["run", "Again"], { env })).toMatchObject({ stdout: "All is well.\n" });
    expect(server.requests.slice(before).map(({ headers }) => headers["x-api-key"])).toContain(KEY);

    await page.getByRole("link", { name: "Run", exact: true }).click();
    await page.getByText("Keys of providers (1)").click();
    await page.getByRole("button", { name: "Forget the key of anthropic" }).click();
    await page.getByText("A goal needs a model").waitFor();
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({});
  }, 240_000);

  it("is kept untried where its provider cannot answer, and the page says so and why", async () => {
    const server = await startModelServer({ anthropic: () => fails.overloaded() });
    onTestFinished(() => server.close());
    const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...env } = server.env;
    const ours = project();
    const web = ours.start(["web", "--port", "0"], env);
    const { page } = await visit(await addressIn(web.stdout));
    const keys = (): unknown => JSON.parse(readFileSync(join(ours.home, ".config/ekiden/keys.json"), "utf8"));
    const status = page.getByRole("status");
    await page.getByLabel("Provider").selectOption("groq");
    await page.getByLabel("Key", { exact: true }).fill("gsk-of-groq");
    await page.getByRole("button", { name: "Keep the key" }).click();
    await status.getByText("It was not tried: groq has no model of its own choice here.").waitFor();
    await page.getByText("A goal needs a model").waitFor(); // still: none is named
    await page.getByLabel("Provider").selectOption("anthropic");
    await page.getByLabel("Key", { exact: true }).fill(KEY);
    await page.getByRole("button", { name: "Keep the key" }).click();
    await status.getByText(/It could not be tried, so a start may fail: .*[Oo]verloaded/).waitFor();
    await page.getByText("A goal needs a model").waitFor({ state: "detached" });
    expect(keys()).toEqual({ GROQ_API_KEY: "gsk-of-groq", ANTHROPIC_API_KEY: KEY });
    await page.reload();
    await page.getByText("Keys of providers (2)").click();
    expect(await page.getByText("kept for you").count()).toBe(2);
    expect(await page.content()).not.toContain(KEY);
  }, 240_000);

  it("is no business of a person with a link, nor of a page for looking only", async () => {
    const ours = project();
    await ours.run(["add", "Something"]);
    const web = ours.start(["web", "--port", "0", "--read-only"]);
    const { origin, hash } = new URL(await addressIn(web.stdout));
    const keys = await fetch(`${origin}/api/default/keys`, {
      headers: { Authorization: `Bearer ${hash.replace("#token=", "")}` },
    });
    expect(keys.status).toBe(403);
  });
});
