/** Images that the person names in a message, from the command line to the vendors' protocols. */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { keepImage } from "../../../src/adapters/images.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import { textOf } from "../../../src/core/conversation/chat.ts";
import type { Image, MediaType } from "../../../src/core/conversation/image.ts";
import {
  type Answer,
  calls,
  type ModelCall,
  type ModelServer,
  runs,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { pictureHead } from "../../fixtures/pictures.ts";
import { soon } from "../../fixtures/soon.ts";
import { EKIDEN, type Ended, Project } from "../cli-program.ts";

const picture = (kind: MediaType = "image/png", bytes = 12_000): Buffer => {
  const head = pictureHead(kind);
  return Buffer.concat([head, randomBytes(bytes - head.length)]);
};

let project: Project;
let server: ModelServer | undefined;
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  const { faults = [] } = server ?? {};
  await project.end();
  await server?.close();
  server = undefined;
  expect(faults).toEqual([]);
});

async function serving(any: (request: ModelCall) => Answer | Promise<Answer>): Promise<ModelServer> {
  server = await startModelServer({ any });
  return server;
}

const CLAUDE = ["--model", "anthropic/claude-haiku-4-5"];
const run = (...args: string[]): Promise<Ended> =>
  project.run([...args, ...CLAUDE], { env: { ...server?.env } });
const send = (text: string): Promise<Ended> => project.run(["send", "lead", text]);

type Part = { readonly type: string; readonly mediaType?: string; readonly data?: string };
const known = (mediaType: string, bytes: Buffer): string =>
  `${mediaType} ${createHash("sha256").update(bytes).digest("hex")}`;
/** The images of a request, in order: their kinds and hashes. */
const sentIn = (request: ModelCall | undefined): string[] =>
  (request?.messages ?? [])
    .flatMap(({ content }) => content as readonly Part[])
    .filter(({ type }) => type === "image")
    .map(({ mediaType = "", data = "" }) => known(mediaType, Buffer.from(data, "base64")));
const textsOf = (request: ModelCall | undefined): string => (request?.messages ?? []).map(textOf).join("\n");
const put = (path: string, bytes: Uint8Array | string): void => writeFileSync(join(project.dir, path), bytes);
const kept = (): string => join(project.dir, ".ekiden/output/images");

it.each([
  ["anthropic", "anthropic/claude-haiku-4-5"],
  ["responses", "openai/gpt-5-mini"],
  ["google", "google/gemini-2.5-flash"],
  ["openai", "openai-compatible/some-model"],
  ["ollama", "ollama/some-model"],
])("reaches the model over the protocol %s (%s)", async (protocol, spec) => {
  const { url, env, requests } = await serving(() => says("seen"));
  const images = await Promise.all(
    (["image/png", "image/jpeg", "image/webp"] as const).map(async (mediaType): Promise<[Image, Buffer]> => {
      const content = picture(mediaType);
      return [await keepImage(project.dir, { name: "a", mediaType, content }), content];
    }),
  );
  const model = await openModel(spec, {
    env: { ...env, GOOGLE_GENERATIVE_AI_API_KEY: "test-key-google" },
    baseUrl: protocol === "google" ? `${url}/v1beta` : /^(openai|ollama)$/.test(protocol) ? url : "",
    clock: systemClock,
    attempts: 1,
    outputDir: project.dir,
  });
  const content = [{ type: "text", text: "look" } as const, ...images.map(([image]) => image)];
  const request = { system: "", messages: [{ role: "user", content } as const], tools: [] };
  await model.reply(request, { signal: new AbortController().signal });
  expect(requests[0]?.protocol).toBe(protocol);
  expect(sentIn(requests[0])).toEqual(images.map(([{ mediaType }, bytes]) => known(mediaType, bytes)));
  expect(textsOf(requests[0])).toBe("look");

  // The first twenty: images of an earlier request stay.
  const copies = images.slice(0, 1).flatMap(([image]) => Array.from({ length: 19 }, () => ({ ...image })));
  const said = { role: "assistant", content: [{ type: "text", text: "seen" }] } as const;
  const messages = [...request.messages, said, { role: "user", content: copies } as const];
  await model.reply({ ...request, messages }, { signal: new AbortController().signal });
  expect(sentIn(requests[1])).toHaveLength(20);
  expect(sentIn(requests[1]).slice(0, 3)).toEqual(sentIn(requests[0]));
  expect(
    textsOf(requests[1]).match(/\[image a is left out, because one request takes 20 images/g),
  ).toHaveLength(2);
});

it("goes with the goal and with mail, is shown in the transcript, and is kept readable by the person alone", async () => {
  const [shot, other] = [picture(), picture("image/jpeg")];
  put("shot.png", shot);
  put("my other.jpg", other);
  const { requests } = await serving(() => says("done"));
  expect(await run("run", "look at @shot.png, please")).toMatchObject({ code: 0, stdout: "done\n" });
  const first = known("image/png", shot);
  expect(sentIn(requests.at(-1))).toEqual([first]);
  expect(textsOf(requests.at(-1))).toContain("look at @shot.png, please\n[image shot.png, 12 kB]");
  expect((await project.run(["transcript", "lead"])).stdout).toContain("[image shot.png, 12 kB]");
  expect(readdirSync(kept())).toEqual([`${createHash("sha256").update(shot).digest("hex")}.png`]);
  expect(statSync(join(kept(), readdirSync(kept())[0] ?? "")).mode & 0o777).toBe(0o600);

  expect((await send('@shot.png and @"my other.jpg"')).code).toBe(0);
  await run("resume");
  expect(sentIn(requests.at(-1))).toEqual([first, known("image/jpeg", other)]);
});

it("that a model reads is seen by it with the next request, once for each reading", async () => {
  const [shot, other] = [picture(), picture("image/gif")];
  put("shot.png", shot);
  put("other.gif", other);
  const read = (path: string) => ({ tool: "read_file", input: { path } });
  const { requests } = await serving(({ nth }) =>
    nth === 1 ? { calls: [read("shot.png"), read("other.gif")] } : nth === 2 ? runs("true") : says("done"),
  );
  expect(await run("run", "look around")).toMatchObject({ code: 0, stdout: "done\n" });
  const seen = [known("image/png", shot), known("image/gif", other)];
  expect(requests.slice(0, 3).map((request) => sentIn(request).sort())).toEqual([[], seen.sort(), seen]);
  expect(textsOf(requests.at(-1))).toContain("[image shot.png, 12 kB]");
  expect((await project.run(["transcript", "lead"])).stdout).toContain("shot.png is an image");
});

it.each([
  ["is sent again after a kill", true],
  ["is named to the model on a machine without the file", false],
])("%s", async (_, stays) => {
  const shot = picture();
  put("shot.png", shot);
  const { requests, env } = await serving((request) => (request.nth === 1 ? runs("sleep 60") : says("done")));
  const child = project.start(["run", "look at @shot.png", ...CLAUDE], env);
  await soon(async () => expect((await project.run(["transcript", "lead"])).stdout).toContain("sleep 60"));
  child.kill("SIGKILL");
  rmSync(stays ? join(project.dir, "shot.png") : kept(), { recursive: true });
  expect((await run("resume")).code).toBe(0);
  expect(requests.length).toBeGreaterThan(1);
  expect(sentIn(requests.at(-1))).toEqual(stays ? [known("image/png", shot)] : []);
  if (!stays) expect(textsOf(requests.at(-1))).toContain("[image shot.png is not on this machine]");
});

it("is left out by a summary, but not before the model has seen it", async () => {
  const [shot, fresh] = [picture(), picture()];
  put("shot.png", shot);
  put("new.png", fresh);
  project.write({ ".ekiden/settings.json": JSON.stringify({ contextTokens: 20_000 }) });
  const { requests } = await serving(async ({ tools, nth }) => {
    if (tools.length === 0) return says("Notes: none.");
    if (nth > 1) return says("done");
    // The conversation becomes too long with the mail that brings the second image.
    await send(`now @new.png ${"word ".repeat(20_000)}`);
    return runs("true");
  });
  expect((await run("run", "look at @shot.png")).code).toBe(0);
  expect(requests.slice(0, 3).map(({ tools }) => tools.length === 0)).toEqual([false, true, false]);
  expect(requests.slice(0, 3).map(sentIn)).toEqual([
    [known("image/png", shot)],
    [],
    [known("image/png", fresh)],
  ]);
  for (const request of requests) expect(textsOf(request)).toContain("[image shot.png, 12 kB]");
});

it.each([
  [400, "this model does not take that content", 1],
  [404, "No endpoints found that support image input", 1],
  [413, "Payload Too Large", 1],
  [500, "image input is not supported - hint: you may need to provide the mmproj", 1],
])(
  "continues without images at a model that refuses them with %i, and says so",
  async (status, message, times) => {
    put("shot.png", picture());
    const { requests } = await serving((request) =>
      sentIn(request).length > 0 ? { status, message } : says("done"),
    );
    expect(await run("run", "look at @shot.png")).toMatchObject({ code: 0, stdout: "done\n" });
    expect(requests.filter((request) => sentIn(request).length > 0)).toHaveLength(times);
    expect(textsOf(requests.at(-1))).toMatch(/without its images[\s\S]*look at @shot\.png/);
    expect((await project.run(["log"])).stdout).toMatch(
      /refused the conversation of lead [\s\S]* without its images/,
    );
  },
);

it("is not attached for text from a pipe, which may be somebody else's", async () => {
  put("shot.png", picture());
  const { requests, env } = await serving(() => says("done"));
  await project.run(["run", "-", ...CLAUDE], { input: "look at @shot.png", env });
  await project.run(CLAUDE, { input: "look at @shot.png\n", env });
  expect(requests.map((request) => textsOf(request).includes("look at @shot.png"))).toEqual([true, true]);
  expect(requests.flatMap(sentIn)).toEqual([]);
});

it("refuses files that are no images, by name, and sends nothing", async () => {
  await serving(() => says("done"));
  await run("run", "begin");
  const outside = join(project.home, "private.png");
  writeFileSync(outside, picture());
  put("text.png", "just a text");
  put("large.png", picture());
  truncateSync(join(project.dir, "large.png"), 100_000_000);
  execFileSync("mkfifo", [join(project.dir, "pipe.png")]);
  mkdirSync(join(project.dir, "folder.png"));
  symlinkSync("/dev/zero", join(project.dir, "zero.png"));
  symlinkSync(outside, join(project.dir, "link.png"));
  const cases: readonly (readonly [string, RegExp])[] = [
    ["@text.png", /"text\.png" was not sent: its content is not an image/],
    ["@large.png", /"large\.png" was not sent: it has 100 MB/],
    ["@pipe.png", /"pipe\.png" was not sent: it is not a file/],
    ["@folder.png", /"folder\.png" was not sent: it is not a file/],
    ["@zero.png", /"zero\.png" was not sent: it is a link out of the project/],
    ["@link.png", /"link\.png" was not sent: it is a link out of the project/],
    ["@missing.png", /There is no image "missing\.png", so nothing was sent/],
  ];
  for (const [word, message] of cases) {
    const { code, stderr } = await send(`see ${word}`);
    expect([word, code, stderr]).toEqual([word, 2, expect.stringMatching(message)]);
  }
  expect((await project.run(["inbox", "lead"])).stdout).not.toContain("see @");
  expect(existsSync(kept())).toBe(false);
  // A path that is no image stays text. An image that the person names is sent.
  expect((await send("see @/dev/zero and me@shot.png")).code).toBe(0);
  expect((await send(`see @${outside}`)).code).toBe(0);
  expect(readdirSync(kept())).toHaveLength(1);
});

it("is not attached by a member, whose mail may name what it may not read", async () => {
  put("shot.png", picture());
  const { requests } = await serving((request) => {
    if (request.nth === 1) return calls("spawn_teammate", { name: "mate", prompt: "wait" });
    if (request.nth === 2) return calls("send_message", { to: "mate", text: "look at @shot.png" });
    return says("done");
  });
  await run("run", "begin");
  expect(requests.some((request) => textsOf(request).includes("look at @shot.png"))).toBe(true);
  expect(requests.flatMap(sentIn)).toEqual([]);
});

it("is not attached by a member's `ekiden send`", async () => {
  put("shot.png", picture());
  const lines = `${EKIDEN} send lead look at @shot.png\n${EKIDEN} send lead look at @missing.png\n`;
  project.write({ "plan.md": `# Try it\n## Speak\n\`\`\`sh\n${lines}\`\`\`\n` });
  const { code, stderr } = await project.run(["run", "plan.md", "--teammate", "alice"], {
    env: { EKIDEN_SANDBOX: "off" },
  });
  expect(code, stderr).toBe(0);
  type Inbox = { mail: { from: string; body: { text: string; images?: unknown } }[] };
  const { mail } = await project.json<Inbox>(["inbox", "lead"]);
  expect(mail.filter(({ body }) => body.text?.startsWith("look at @"))).toHaveLength(2);
  expect(mail.filter(({ body }) => body.images !== undefined)).toEqual([]);
  expect(existsSync(kept())).toBe(false);
});

it("is shown on the full screen, and a refused line is back in the editor", async () => {
  const shot = picture();
  put("shot.png", shot);
  const { requests, env } = await serving(() => says("I see it."));
  const terminal = await project.open(CLAUDE, { columns: 80, rows: 24, env });
  await terminal.shows("Type what you want");
  terminal.type("see @shoot.png\r");
  await terminal.shows('There is no image "shoot.png"');
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("see @shoot.png"));
  expect(requests).toEqual([]);
  // The menu quotes a path with spaces.
  put("my shot.png", shot);
  terminal.type("\x15see @my");
  await terminal.shows(/→ my shot\.png/);
  terminal.type("\t");
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe('see @"my shot.png"'));
  terminal.type("\x15see @shot.png \r");
  await terminal.shows("[image shot.png, 12 kB]");
  const screen = await terminal.shows("I see it.");
  expect(screen.split("[image shot.png, 12 kB]")).toHaveLength(2);
  expect(sentIn(requests[0])).toEqual([known("image/png", shot)]);
});

it("is sent for a file that is dropped onto the full screen", async () => {
  const shot = picture();
  const path = join(project.home, "my shot.png");
  writeFileSync(path, shot);
  const { requests, env } = await serving(() => says("I see it."));
  const terminal = await project.open(CLAUDE, { columns: 120, rows: 24, env });
  await terminal.shows("Type what you want");
  const drop = (text: string): void => terminal.type(`\x1b[200~${text}\x1b[201~`);
  terminal.type("look at");
  drop(`'${path}' `);
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe(`look at @"${path}"`));
  terminal.type("now\r");
  await terminal.shows("[image my shot.png, 12 kB]");
  await terminal.shows("I see it.");
  expect(sentIn(requests[0])).toEqual([known("image/png", shot)]);
  // A file that is no image stays a path, also at the beginning of a line: no command begins so.
  drop(join(project.home, "trace.log"));
  terminal.type(" is empty\r");
  await soon(() => expect(textsOf(requests[1])).toContain(`${project.home}/trace.log is empty`));
});

it("is shown in the line conversation, where a refused line comes back, too", async () => {
  const shot = picture();
  put("shot.png", shot);
  const { requests, env } = await serving(() => says("I see it."));
  const terminal = await project.open([...CLAUDE, "--plain"], { columns: 80, rows: 24, env });
  await terminal.shows("Type what you want");
  terminal.type("see @shoot.png\r");
  await terminal.shows(/There is no image[\s\S]*> see @shoot\.png$/m);
  terminal.type("\x15see @shot.png\r");
  await terminal.shows(/\[image shot\.png, 12 kB\][\s\S]*I see it\./);
  expect(sentIn(requests[0])).toEqual([known("image/png", shot)]);
});
