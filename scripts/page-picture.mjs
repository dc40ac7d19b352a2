/**
 * Makes docs/page.png: runs examples/quickstart.md with its page and takes the picture while the team works. Run `npm run build`
 * first; needs Chromium (Debian's, or `CHROMIUM`).
 */
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

const run = spawn(
  process.execPath,
  ["dist/main.js", "run", "examples/quickstart.md", "--web", "--team", "health"],
  {
    stdio: ["ignore", "ignore", "pipe"],
  },
);
const address = await new Promise((found, failed) => {
  let text = "";
  run.stderr.setEncoding("utf8").on("data", (part) => {
    text += part;
    const match = /page: (http:\S+)/.exec(text);
    if (match) found(match[1]);
  });
  run.once("exit", () => failed(new Error(`The run ended without a page:\n${text}`)));
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.locator('.card:has([aria-label="Completed"])').nth(3).waitFor();
  await page.locator(".card.busy").first().click();
  await page.getByRole("tab", { name: "Now" }).waitFor();
  await page.mouse.move(700, 860);
  await page.screenshot({ path: "docs/page.png" });
  console.log("docs/page.png");
} finally {
  await browser.close();
  run.kill("SIGINT");
}
