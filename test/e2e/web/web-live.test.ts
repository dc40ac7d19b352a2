/** These tests check what a command prints while it runs, on the page of another process. */
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { says, startModelServer } from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

const SECRET = "correct-horse-battery-1";
const RUNBOOK = `# Print
## Talk
\`\`\`sh
echo '<img src=x onerror="document.title = 1">' $(cat word)
printf '\\033[31mred\\033[0m\\a\\n'
for part in 1 2 3 4 5 6; do echo "part $part of 6"; done
while ! test -f go; do sleep 0.05; done
echo "on we go"
while true; do sleep 0.05; done
\`\`\`
`;

let ours: Project;
afterEach(() => ours.end());

describe.skipIf(!hasBrowser)("live output on the page", () => {
  it("shows the last lines on the card and in the conversation, as text, until the process is killed", async () => {
    ours = new Project();
    ours.write({ "print.md": RUNBOOK, word: SECRET });
    const run = ours.start(["run", "print.md"], { FORGE_TOKEN: SECRET });
    await soon(async () => {
      const { board } = await ours.store({ access: "use" });
      expect(await board.counts()).toMatchObject({ inProgress: 1 });
    });
    const web = ours.start(["web", "--port", "0"]);
    const address = await addressIn(web.stdout);
    const { page } = await visit(address);
    const { origin } = new URL(address);

    await page.goto(`${origin}/default/team`);
    const card = page.locator(".member", { has: page.getByRole("link", { name: "alice", exact: true }) });
    await card.getByText("part 6 of 6").waitFor();
    expect(await card.locator(".activity").innerText()).toMatch(/^bash echo/);
    ours.write({ go: "" });
    await card.getByText("on we go").waitFor();

    await page.goto(`${origin}/default/conversation/alice`);
    const output = page.locator(".call.open .output").last();
    await output.getByText("[secret FORGE_TOKEN]").waitFor();
    expect(await output.innerText()).toContain(
      '<img src=x onerror="document.title = 1"> [secret FORGE_TOKEN]\nred\\x07\npart 1 of 6',
    );
    expect(await page.locator("main img").count()).toBe(0);

    run.kill("SIGKILL");
    // The command itself stays.
    await soon(async () => expect(await page.locator(".call.open .output").count()).toBe(1));
  });

  it("shows the words of a model while they arrive in another process, and once when they are complete", async () => {
    const SENTENCES = Array.from({ length: 200 }, (_, i) => `Sentence ${i} of the answer. `).join("");
    const server = await startModelServer({
      any: ({ nth }) =>
        nth === 1 ? says(`${SECRET} ${SENTENCES}`, { thinking: "Let me see.", paceMs: 40 }) : says("Done."),
    });
    onTestFinished(() => server.close());
    ours = new Project();
    await ours.run(["add", "Answer at length"]);
    const web = ours.start(["web", "--port", "0"]);
    const address = await addressIn(web.stdout);
    const { page } = await visit(address);
    ours.start(["run", "Answer", "--model", "anthropic/claude-haiku-4-5", "--teammates", "0"], {
      ...server.env,
      FORGE_TOKEN: SECRET,
    });
    await server.arrived(1);
    await page.goto(`${new URL(address).origin}/default/conversation/lead`);
    const words = page.locator(".entry.arriving");
    await words.getByText("lead writes").waitFor();
    await words.getByText(/Sentence \d\d of the answer/).waitFor();
    expect((await words.boundingBox())?.width).toBeGreaterThan(400);
    expect(await words.innerText()).not.toContain(SECRET);
    expect(await words.innerText()).not.toContain("Sentence 199");
    await page.locator(".entry.said:not(.arriving)", { hasText: "Sentence 199 of the answer" }).waitFor();
    await words.waitFor({ state: "detached" });
  });
});
