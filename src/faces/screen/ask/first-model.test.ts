/** The first minute without a model, at widths at which its lines do not fit. */
import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, it } from "vitest";
import { soon } from "../../../../test/fixtures/soon.ts";
import { styleOf } from "../draw/style.ts";
import { FirstModelView } from "./first-model.ts";

const out = { isTTY: true, colour: false, width: () => 60, write: () => {} };

it("says how to get Ollama on lines that are read whole", async () => {
  const view = new FirstModelView({
    ...{
      style: styleOf({ ...out, paint: (_, text) => text }),
      env: { OLLAMA_HOST: "127.0.0.1:9", PATH: "/nowhere" },
      folder: "/",
      why: "No model.",
    },
    ...{ chosen: () => {}, changed: () => {} },
  });
  const frame = (): string => view.lines(44, 24).map(stripVTControlCharacters).join("\n");
  await soon(() => expect(frame()).toContain("ollama"));
  for (const key of ["\x1b[B", "\x1b[B", "\x1b[B", "\r"]) view.key(key);
  await soon(() =>
    expect(frame().replaceAll(/\s+/g, " ")).toContain("no model: ollama serve, ollama pull MODEL"),
  );
  const lines = view.lines(44, 24);
  expect(lines).toHaveLength(24);
  for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(44);
});
