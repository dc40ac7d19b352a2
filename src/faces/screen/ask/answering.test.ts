/** Keys around the moment at which a question comes: those before it belong to the editor, and only a line begun after it answers. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Scene, SECOND } from "../../../../test/fixtures/screen-scene.ts";
import { soon } from "../../../../test/fixtures/soon.ts";
import { name, stage } from "../../../../test/fixtures/stage.ts";
import { LEAD, later, PERSON } from "../../../core/ids.ts";
import type { Ask } from "../../../ports/index.ts";
import type { Prompt } from "../editor/prompt.ts";
import type { FullView } from "../tools.ts";
import { Answering } from "./answering.ts";

const { open } = stage("sqlite");
const READ_MS = 500;
const alice = name("alice");
const call: Ask = { kind: "permission", tool: "bash", subject: "touch x", rule: "bash(touch x)" };
const question: Ask = {
  ...{ kind: "question", task: null, waits: true, question: "Which name?" },
  options: ["short", "long"].map((label) => ({ label, description: "" })),
};

/** The editor of the screen, as far as answers know it. */
class Line {
  text = "";
  get isEmpty(): boolean {
    return this.text === "";
  }
  readonly getText = (): string => this.text;
  readonly setText = (text: string): void => {
    this.text = text;
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

async function asking(ask: Ask) {
  const scene = await Scene.on(open);
  const { questions, store, team } = scene;
  for (const who of [LEAD, alice]) await scene.join(who);
  const line = new Line();
  const notes: string[] = [];
  const views: (FullView | null)[] = [];
  const answering = new Answering({
    ...{ questions, editor: line as unknown as Prompt, at: () => LEAD },
    ...{ store: () => store, note: (text) => void notes.push(text), style: scene.style },
    view: (view) => void views.push(view),
    run: (line) => void notes.push(line),
  });
  /** The messages to members that are no answers. */
  const sent: string[] = [];
  const press = (keys: string): void => {
    for (const key of keys) {
      answering.begins();
      if (answering.takes(key)) continue;
      const { text } = line;
      if (key !== "\r") line.text += key;
      else {
        // As the editor does it.
        line.text = "";
        if (!answering.submit(text)) sent.push(text);
      }
    }
  };
  const draw = (showsChange = true): void => questions.shown(Date.now(), showsChange);
  const wait = (ms = READ_MS): void => void vi.setSystemTime(Date.now() + ms);
  const comes = async (): Promise<void> => {
    await store.requests.ask(alice, PERSON, ask, later(scene.clock.now(), 600 * SECOND));
    await questions.read(store, team);
  };
  const isOpen = async (): Promise<boolean> => (await store.requests.open()).length > 0;
  return { press, draw, wait, comes, line, sent, notes, isOpen, questions, views };
}

it("counts the time to read a question from the frame that shows it first", async () => {
  const { press, draw, wait, comes, line, isOpen } = await asking(call);
  await comes();
  wait(10 * READ_MS);
  press("y");
  expect(line.text).toBe("y");
  line.text = "";
  draw();
  wait(READ_MS - 1);
  press("y");
  expect(line.text).toBe("y");
  line.text = "";
  wait(1);
  press("yes\r");
  expect(line.text).toBe("");
  await soon(async () => expect(await isOpen()).toBe(false));
});

it("counts it again where another question comes onto the card", async () => {
  const { press, draw, wait, comes, line, questions } = await asking(call);
  await comes();
  draw();
  await comes(); // the same question: it stays on the card
  wait();
  press("y");
  expect([line.text, questions.count]).toEqual(["", 0]);
});

it("holds a yes or no that was begun before its question could be read, until a second enter", async () => {
  const { press, draw, wait, comes, line, sent, notes, isOpen } = await asking(call);
  press("ye");
  await comes();
  draw();
  wait();
  press("s\r");
  expect(line.text).toBe("yes");
  expect(notes.at(-1)).toContain("enter again answers");
  expect([sent, await isOpen()]).toEqual([[], true]);
  press("\r");
  await soon(async () => expect(await isOpen()).toBe(false));
  expect([line.text, sent]).toEqual(["", []]);
});

it("holds it also where the second enter comes too early", async () => {
  const { press, draw, wait, comes, line, notes, isOpen } = await asking(call);
  await comes();
  draw();
  press("n\r\r");
  await soon(() => expect(notes.at(-1)).toContain("has just come"));
  expect([line.text, await isOpen()]).toEqual(["n", true]);
  wait();
  press("\r");
  await soon(async () => expect(await isOpen()).toBe(false));
});

it("sends own words that were begun before a question to whom they were meant for", async () => {
  const { press, draw, wait, comes, sent, isOpen } = await asking(question);
  press("write the");
  await comes();
  draw();
  wait();
  press(" tests\r");
  expect([sent, await isOpen()]).toEqual([["write the tests"], true]);
  press("neither of them\r");
  await soon(async () => expect(await isOpen()).toBe(false));
  expect(sent).toHaveLength(1);
});

it.each(["y", "yes\r", "all\r", "s\r"])(
  "agrees to nothing of which no line is on the screen (%j)",
  async (keys) => {
    const { press, draw, wait, comes, isOpen, views } = await asking(call);
    await comes();
    draw(false);
    wait();
    press(keys);
    const [view] = views;
    if (!view) throw new Error("the whole was not opened");
    expect(view.lines(40, 8).join("\n")).toContain("touch x");
    view.key("y"); // held
    expect(await isOpen()).toBe(true);
    wait();
    view.key("y");
    await soon(async () => expect(await isOpen()).toBe(false));
    expect(views.at(-1)).toBe(null);
  },
);

it("refuses without the whole, too", async () => {
  const { press, draw, wait, comes, isOpen, views } = await asking(call);
  await comes();
  draw(false);
  wait();
  press("no\r");
  await soon(async () => expect(await isOpen()).toBe(false));
  expect(views).toEqual([]);
});
