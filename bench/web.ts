/**
 * (k) The page: a board of 10,000 tasks with 100,000 facts, in headless Chromium over loopback; and what pages cost the server and
 * the run. Frames are drawn without a graphics processor, as CI has none.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { systemClock } from "../src/adapters/clock.ts";
import type { Store } from "../src/ports/index.ts";
import { BROWSER } from "../test/browser.ts";
import { alternate, type Figure, figure, type Item, median, quantile } from "./measure.ts";
import { atEnd, BUILT, freshFolder, ROOT } from "./stage.ts";
import { bigStore, cpuOf, megabytes, started } from "./web-stage.ts";
import { addTalker, longConversation, moving, overSlowLink } from "./web-view.ts";

const FACTS = 100_000;
const PAGES = 100;
const RATE = 20;

export const web: Item = async (quick) => {
  const folder = freshFolder();
  const store = await bigStore(folder, quick ? FACTS / 10 : FACTS);
  atEnd(() => store.close());
  await addTalker(store);
  const bare = started(
    ["-e", "require('node:http').createServer(() => {}).listen(0, () => console.log('up'))"],
    folder,
  );
  await bare.line;
  const bareMb = megabytes(bare.child);
  bare.child.kill();
  const server = started([BUILT, "web", "--cwd", folder, "--port", "0", "--trust"], folder);
  const address = await server.line;
  const browser = await chromium.launch(BROWSER);
  atEnd(() => browser.close());
  return [
    scriptSize(),
    ...(await opening(browser, address, quick ? 3 : 7)),
    ...(await overSlowLink(browser, address, quick ? 3 : 7)),
    ...(await moving(browser, address)),
    await longConversation(browser, address, quick ? 3 : 7),
    await latency(browser, address, store, quick ? 60 : 300),
    await manyPages(server.child, address, store, quick ? 4 : 12),
    figure({
      item: "k",
      name: "memory of the server above bare node",
      unit: "MB",
      value: megabytes(server.child) - bareMb,
      budget: { of: "value", atMost: 52 }, // docs/web.md says why
      note: `bare ${bareMb.toFixed(0)} MB; after all of the above`,
    }),
    await runBesidePage(quick ? 2 : 5),
  ];
};

function scriptSize(): Figure {
  const folder = join(ROOT, "dist/web/assets");
  const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
  const bytes = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  return figure({
    item: "k",
    name: "script, gzipped, all of it",
    unit: "kB",
    value: bytes / 1_000,
    budget: { of: "value", atMost: 150 },
  });
}

async function opened(browser: Browser, address: string, view = ""): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  await page.goto(address);
  await page.locator(".header .figures").waitFor();
  if (view !== "") await page.goto(`${new URL(address).origin}/default/${view}`);
  return page;
}

/** The elements that a page shows at its moments. */
const MOMENTS = { usable: ".header .figures", laid: ".graph .card" };

async function opening(browser: Browser, address: string, times: number): Promise<Figure[]> {
  const samples: { usable: number; laid: number }[] = [];
  const cpu: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.addInitScript(`
      window.marks = {};
      (function look() {
        for (const [name, wanted] of ${JSON.stringify(Object.entries(MOMENTS))})
          if (!(name in marks) && document.querySelector(wanted)) marks[name] = performance.now();
        requestAnimationFrame(look);
      })();`);
    const cpuNow = await mainThread(page);
    await page.goto(address, { waitUntil: "commit" });
    await page.locator(MOMENTS.usable).waitFor();
    cpu.push(await cpuNow());
    await page.locator(MOMENTS.laid).first().waitFor();
    await page.waitForTimeout(50);
    samples.push((await page.evaluate("marks")) as { usable: number; laid: number });
    await page.close();
  }
  const usable = samples.map((one) => one.usable);
  const laid = samples.map((one) => one.laid);
  return [
    figure({
      item: "k",
      name: "usable, 10,000 tasks",
      unit: "ms",
      value: median(usable),
      samples: usable,
      budget: { of: "value", atMost: 1_000 },
      note: `${median(cpu).toFixed(0)} ms of processor time in the page's main thread`,
    }),
    figure({ item: "k", name: "its graph laid out", unit: "ms", value: median(laid), samples: laid }),
  ];
}

/** Processor time of a page's main thread in milliseconds. Other programs do not change it, unlike the time that passes. */
async function mainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  };
}

/** From before a fact is written in another process until its row is in the page. */
async function latency(browser: Browser, address: string, store: Store, count: number): Promise<Figure> {
  const page = await opened(browser, address, "journal");
  await page.locator(".fact-row").first().waitFor();
  await page.evaluate(`
    window.late = new Map();
    new MutationObserver(() => {
      for (const row of document.querySelectorAll(".fact-row")) {
        const at = /noted at (\\d+)/.exec(row.textContent)?.[1];
        if (at && !late.has(at)) late.set(at, Date.now() - Number(at));
      }
    }).observe(document.querySelector(".virtual"), { childList: true, subtree: true, characterData: true });`);
  await paced(count, (now) =>
    store.journal.note([{ type: "warning.raised", who: null, text: `noted at ${now}` }]),
  );
  await page.waitForTimeout(500);
  const late = (await page.evaluate("[...late.values()]")) as number[];
  await page.close();
  return figure({
    item: "k",
    name: "fact on the page, p99",
    unit: "ms",
    value: quantile(late, 0.99),
    samples: late,
    budget: { of: "value", atMost: 100 },
    note: `median ${median(late)} ms; ${count - late.length} not seen`,
  });
}

async function paced(count: number, act: (now: number) => Promise<unknown>): Promise<void> {
  const begun = Date.now();
  for (let i = 0; i < count; i += 1) {
    await act(Date.now());
    await systemClock.sleep(Math.max(0, begun + ((i + 1) * 1_000) / RATE - Date.now()));
  }
}

async function manyPages(
  server: ChildProcess,
  address: string,
  store: Store,
  seconds: number,
): Promise<Figure> {
  const { origin, hash } = new URL(address);
  const headers = { Authorization: `Bearer ${hash.replace("#token=", "")}` };
  const end = await store.journal.end();
  let received = 0;
  const streams = Array.from({ length: PAGES }, () =>
    get(`${origin}/api/default/stream?from=${end}`, { headers, agent: false }, (answer) => {
      answer.on("data", (part: Buffer) => {
        if (part.includes("data: [")) received += 1;
      });
    }).on("error", () => {}),
  );
  await systemClock.sleep(1_000);
  const [cpu, at] = [cpuOf(server), performance.now()];
  await paced(seconds * RATE, (now) =>
    store.journal.note([{ type: "warning.raised", who: null, text: `at ${now}` }]),
  );
  const share = (cpuOf(server) - cpu) / (performance.now() - at);
  for (const stream of streams) stream.destroy();
  return figure({
    item: "k",
    name: `${PAGES} open pages at ${RATE} facts/s`,
    unit: "% of a core",
    value: share * 100,
    budget: { of: "value", atMost: 5 },
    note: `${received} messages received`,
  });
}

const RUNBOOK = `# Count\n${Array.from({ length: 40 }, (_, i) => `\n## Part ${i}\n${i >= 4 ? `After: Part ${i - 4}\n` : ""}\n\`\`\`sh\nsleep 0.05\n\`\`\`\n`).join("")}`;

/** The same run without a page, and with one that a browser's stream watches. */
async function runBesidePage(times: number): Promise<Figure> {
  const run = async (isWatched: boolean): Promise<number> => {
    const folder = freshFolder();
    writeFileSync(join(folder, "count.md"), RUNBOOK);
    const since = performance.now();
    const child = spawn(
      process.execPath,
      [BUILT, "run", "count.md", "--cwd", folder, ...(isWatched ? ["--web"] : [])],
      {
        env: { PATH: process.env.PATH, HOME: folder },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const ended = new Promise((done) => child.once("exit", done));
    let isFound = false;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      const found = /http:\/\/\S+/.exec(text);
      if (!found || isFound) return;
      isFound = true;
      const { origin, hash } = new URL(found[0]);
      const headers = { Authorization: `Bearer ${hash.replace("#token=", "")}` };
      get(`${origin}/api/default/stream`, { headers, agent: false }, (answer) => answer.resume()).on(
        "error",
        () => {},
      );
    });
    await ended;
    return performance.now() - since;
  };
  await run(true);
  const { a: bare, b: watched } = await alternate(
    times,
    () => run(false),
    () => run(true),
  );
  return figure({
    item: "k",
    name: "a run with a page open",
    unit: "ms",
    value: median(watched),
    floor: median(bare),
    samples: watched,
    budget: { of: "ratio", atMost: 1.03 },
  });
}
