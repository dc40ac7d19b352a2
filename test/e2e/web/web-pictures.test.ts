/**
 * Twelve views of the page as pictures, wide and narrow, light and dark, compared with those of before: a grid of the ink in each cell, so that other
 * fonts of another machine make little difference, and a column that falls together or a box over a text makes much.
 * `EKIDEN_PICTURES=write npx vitest run test/e2e/web/web-pictures.test.ts` writes them again; look at the pages before.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import { asTaskId, PERSON } from "../../../src/core/ids.ts";
import { tried } from "../../../src/core/tried.ts";
import { completeTask, failTask, takeTask } from "../../../src/team/actions/tasks.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const FOLDER = join(import.meta.dirname, "pictures");
const [COLUMNS, ROWS] = [48, 24];
/** Of 16 levels of ink, and of all cells. */
const [LEVELS_MAX, SHARE_MAX] = [3, 0.04];

const STATES = {
  board: "board",
  columns: "board/columns",
  task: "board?task=3",
  lanes: "lanes",
  team: "team",
  conversation: "conversation/alice",
  questions: "questions",
  outcome: "outcome",
  mail: "mail",
  journal: "journal",
  costs: "costs",
  landing: "landing",
} as const;
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;

/** The levels of a picture: how far its cells are from the ground, a letter a cell. The page itself may decode no picture: its policy forbids that. */
async function cellsOf(png: Buffer, canvas: Page): Promise<string> {
  return (await canvas.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const [w, h] = [image.width / ${COLUMNS}, image.height / ${ROWS}];
    const canvas = new OffscreenCanvas(image.width, image.height);
    const draw = canvas.getContext("2d");
    draw.drawImage(image, 0, 0);
    const { data } = draw.getImageData(0, 0, image.width, image.height);
    const lightOf = (at) => data[at] * 0.3 + data[at + 1] * 0.59 + data[at + 2] * 0.11;
    const all = Array.from({ length: 2_000 }, (_, i) => lightOf(4 * Math.floor((i * data.length) / 8_000)));
    const ground = all.sort((a, b) => a - b)[1_000];
    const lines = [];
    for (let y = 0; y < ${ROWS}; y += 1) {
      let line = "";
      for (let x = 0; x < ${COLUMNS}; x += 1) {
        let [sum, count] = [0, 0];
        for (let py = Math.floor(y * h); py < Math.floor((y + 1) * h); py += 1)
          for (let px = Math.floor(x * w); px < Math.floor((x + 1) * w); px += 1) {
            const at = 4 * (py * image.width + px);
            sum += Math.abs(lightOf(at) - ground);
            count += 1;
          }
        line += Math.min(15, Math.floor(sum / count / 4)).toString(16);
      }
      lines.push(line);
    }
    return lines.join("\\n");
  })()`)) as string;
}

/** The share of cells that have much more or less ink. */
function difference(before: string, after: string): number {
  const [old, now] = [[...before.replaceAll("\n", "")], [...after.replaceAll("\n", "")]];
  if (old.length !== now.length) return 1;
  const far = now.filter(
    (cell, i) => Math.abs(Number.parseInt(cell, 16) - Number.parseInt(old[i] ?? "", 16)) > LEVELS_MAX,
  );
  return far.length / now.length;
}

const quietly: Step = { times: "any", text: "Well." };

async function scene(): Promise<string> {
  const team = await programTeam({
    settings: { permissionsTo: "person", teammates: recruits(1) },
    says: {
      lead: [quietly],
      alice: [
        {
          text: "I paint the door, **twice**.",
          calls: [{ tool: "bash", input: { command: "touch painted-door.txt" } }],
        },
        quietly,
      ],
    },
  });
  const { board } = team.store;
  await board.add({ subject: "Buy the paint" }, PERSON);
  await takeTask(team.store, PERSON, asTaskId(1));
  await failTask(team.store, PERSON, asTaskId(1), "The shop is closed.", team.folder);
  await board.add({ subject: "Dry the wall" }, PERSON);
  await takeTask(team.store, PERSON, asTaskId(2));
  await completeTask(team.store, PERSON, asTaskId(2), "The wall is dry.", team.folder);
  await board.add({ subject: "Paint the door", description: "With two coats." }, PERSON);
  await board.add({ subject: "Hang the door", blockedBy: [asTaskId(3)] }, PERSON);
  await board.add({ subject: "Paint the wall", blockedBy: [asTaskId(1), asTaskId(2)] }, PERSON);
  const { address } = await pageServer(team.store, team.folder);
  await team.host.start({ goal: "Paint the house, and hang its door" });
  await team.until("permission.asked");
  return address;
}

describe.skipIf(!hasBrowser)("the pictures of the page", () => {
  it("are as they were: twelve views, wide and narrow, light and dark", async () => {
    const isWriting = process.env.EKIDEN_PICTURES === "write";
    const all = Object.entries(STATES);
    const address = await scene();
    const { page } = await visit(address);
    await page.locator(".live", { hasText: "Needs you" }).waitFor();
    const canvas = await page.context().newPage();
    const faults: string[] = [];
    for (const [state, path] of isWriting ? all : sampled(all, 3)) {
      await page.setViewportSize(SIZES.wide);
      await page.goto(`${new URL(address).origin}/default/${path}`);
      await page.getByRole("heading", { name: "Paint the house, and hang its door" }).waitFor();
      await page.locator(".header .primary, .question").first().waitFor();
      await page.getByText("Loading", { exact: true }).waitFor({ state: "detached" });
      const file = join(FOLDER, `${state}.txt`);
      const known = tried(() => readFileSync(file, "utf8").split("\n\n"), []);
      const seen: string[] = [];
      for (const [size, viewport] of Object.entries(SIZES))
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.setViewportSize(viewport);
          await page.evaluate(
            "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
          );
          const name = `${state} ${size} ${colorScheme}`;
          const cells = await cellsOf(await page.screenshot({ animations: "disabled" }), canvas);
          const before = known[seen.length]?.replace(/^.*\n/, "") ?? "";
          seen.push(`${name}\n${cells}`);
          const share = difference(before.trimEnd(), cells);
          if (share > SHARE_MAX) faults.push(`${name}: ${Math.round(100 * share)} % is different`);
        }
      mkdirSync(FOLDER, { recursive: true });
      if (isWriting) writeFileSync(file, `${seen.join("\n\n")}\n`);
    }
    if (!isWriting) expect(faults).toEqual([]);
  });
});
