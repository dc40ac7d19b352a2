/**
 * Measures views for which a person waits: the first view over a slow link, a long conversation, and the frames of three boxes that scroll.
 * Frames have two measures: their number, which other programs on the machine change, and their processor time in all processes of the
 * browser, as a ratio to the same movement on an empty page.
 */
import type { Browser, Page } from "playwright-core";
import type { Profile } from "../src/core/board/member.ts";
import type { Entry } from "../src/core/conversation/chat.ts";
import { heard } from "../src/core/conversation/chat.ts";
import type { HostId, Name } from "../src/core/ids.ts";
import { PERSON } from "../src/core/ids.ts";
import type { Store } from "../src/ports/index.ts";
import { type Figure, figure, median } from "./measure.ts";

const VIEWPORT = { viewport: { width: 1_440, height: 900 } };
const ENTRIES = 20_000;
const TALKER = "talker";

/** A member of another machine with a long conversation: words, code, calls and their results. */
export async function addTalker(store: Store): Promise<void> {
  await store.roster.open("elsewhere" as HostId, "elsewhere", 1);
  const profile: Profile = {
    ...{ name: TALKER as Name, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
  };
  const seat = await store.roster.join(profile, "elsewhere" as HostId, PERSON);
  for (let at = 0; at < ENTRIES; at += 1_000)
    await store.transcript.record(seat, Array.from({ length: 250 }, (_, i) => four(at + 4 * i)).flat());
}

function four(at: number): Entry[] {
  const call = { id: `c${at}`, tool: "bash", input: { command: `npm test -- part-${at}` } };
  const code = "```ts\nconst price = (cart: Cart): number => cart.items.length;\n```";
  return [
    heard(`look at part ${at}`),
    {
      kind: "said",
      message: {
        role: "assistant",
        content: [
          { type: "text", text: `I read part **${at}** first.\n\n${code}` },
          { type: "call", ...call },
        ],
      },
    },
    {
      kind: "result",
      result: { type: "result", id: call.id, tool: "bash", text: " ✓ counts\n".repeat(12), isError: false },
    },
    heard(`entry number ${at + 3}`),
  ];
}

/** 10 Mbit/s and 50 ms, as the browser emulates them. */
const LINK = { offline: false, latency: 50, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

export async function overSlowLink(browser: Browser, address: string, times: number): Promise<Figure[]> {
  const usable: number[] = [];
  const bytes: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const context = await browser.newContext(VIEWPORT); // with nothing in its cache
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", LINK);
    let sum = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      sum += encodedDataLength;
    });
    await page.addInitScript(`
      (function look() {
        if (document.querySelector(".header .figures")) window.usable ??= performance.now();
        else requestAnimationFrame(look);
      })();`);
    await page.goto(address);
    await page.locator(".graph .card").first().waitFor();
    usable.push((await page.evaluate("usable")) as number);
    bytes.push(sum / 1_000);
    await context.close();
  }
  return [
    figure({
      item: "k",
      name: "usable, 10,000 tasks, over 10 Mbit/s and 50 ms",
      unit: "ms",
      value: median(usable),
      samples: usable,
      budget: { of: "value", atMost: 1_000 },
    }),
    figure({
      item: "k",
      name: "first view, all that is sent",
      unit: "kB",
      value: median(bytes),
      samples: bytes,
      budget: { of: "value", atMost: 250 },
    }),
  ];
}

/** From the click to the newest entry on the screen. */
export async function longConversation(browser: Browser, address: string, times: number): Promise<Figure> {
  const samples: number[] = [];
  const page = await browser.newPage(VIEWPORT);
  await page.goto(address);
  for (let i = 0; i < times; i += 1) {
    await page.getByRole("link", { name: "Team", exact: true }).click();
    await page.getByRole("link", { name: TALKER, exact: true }).waitFor();
    samples.push(
      (await page.evaluate(`new Promise((done) => {
        const begun = performance.now();
        [...document.querySelectorAll(".member h2 a")].find((at) => at.textContent === "${TALKER}").click();
        (function look() {
          const last = [...document.querySelectorAll(".entries .entry")].at(-1);
          if (last?.textContent.includes("entry number ${ENTRIES - 1}") && last.getBoundingClientRect().top < innerHeight)
            requestAnimationFrame(() => done(performance.now() - begun));
          else requestAnimationFrame(look);
        })();
      })`)) as number,
    );
  }
  await page.close();
  return figure({
    item: "k",
    name: `a conversation of ${ENTRIES.toLocaleString("en")} entries opens`,
    unit: "ms",
    value: median(samples),
    samples,
    budget: { of: "value", atMost: 500 },
  });
}

type Frames = { readonly rate: number; readonly cpu: number };

/** In milliseconds, of all processes of the browser. */
async function browserCpu(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
}

async function frames(page: Page, what: () => Promise<void>): Promise<Frames> {
  const browser = page.context().browser() as Browser;
  await page.evaluate(
    "window.shown = []; (function step(now) { shown.push(now); requestAnimationFrame(step); })(performance.now())",
  );
  const before = await browserCpu(browser);
  await what();
  const cpu = (await browserCpu(browser)) - before;
  const times = (await page.evaluate("shown")) as number[];
  const count = times.length - 1;
  return { rate: (count * 1_000) / ((times.at(-1) ?? 0) - (times[0] ?? 0)), cpu: cpu / count };
}

const STEPS = 120;
const scroll = async (page: Page): Promise<void> => {
  for (let i = 0; i < STEPS; i += 1) await page.mouse.wheel(0, 90);
};

/** A box that scrolls and holds nothing. */
const EMPTY =
  '<body style="margin:0"><div style="height:100vh;overflow:auto"><div style="height:400000px;background:repeating-linear-gradient(#fff 0 31px,#ddd 31px 32px)">';

export async function moving(browser: Browser, address: string): Promise<Figure[]> {
  const page = await browser.newPage(VIEWPORT);
  const floor = async (): Promise<number> => {
    await page.goto("about:blank");
    await page.setContent(EMPTY);
    await page.mouse.move(600, 450);
    return (await frames(page, () => scroll(page))).cpu;
  };
  const found: [name: string, frames: Frames, floor: number][] = [];
  await page.goto(address);
  for (const [view, row] of [
    ["board", ".graph .card"],
    ["journal", ".fact-row"],
    ["board/columns", ".row-card"],
  ] as const) {
    await page.goto(`${new URL(address).origin}/default/${view}`);
    await page.locator(row).first().waitFor();
    await page.mouse.move(view === "journal" ? 700 : 600, 500);
    const scrolled = await frames(page, () => scroll(page));
    const what = view === "board" ? "graph" : view.split("/").at(-1);
    found.push([`scrolling the ${what}`, scrolled, await floor()]);
  }
  await page.close();
  return found.flatMap(([name, { rate, cpu }, floor]) => [
    figure({ item: "k", name, unit: "frames/s", value: rate, budget: { of: "value", atLeast: 50 } }),
    figure({
      item: "k",
      name: `${name}, processor time a frame`,
      unit: "ms",
      value: cpu,
      floor,
      budget: { of: "ratio", atMost: 3 },
      note: "of all processes of the browser; a frame lasts 16.7 ms at 60 frames/s",
    }),
  ]);
}
