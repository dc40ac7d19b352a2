import { describe, expect, it } from "vitest";
import { addressOf, parseRoute } from "./route.ts";

describe("an address", () => {
  it.each([
    ["/", { team: "default", view: "board", item: "", task: null, at: null }],
    [
      "/web/conversation/alice/1?task=3",
      { team: "web", view: "conversation", item: "alice/1", task: 3, at: null },
    ],
    ["/web/nothing?task=-1", { team: "web", view: "board", item: "", task: null, at: null }],
    [
      "/web/board?task=x&at=1700000000000",
      { team: "web", view: "board", item: "", task: null, at: 1_700_000_000_000 },
    ],
    ["/%zz/board?task=x", { team: "%zz", view: "board", item: "", task: null, at: null }],
  ])("%s", (address, route) => {
    expect(parseRoute(address, "default", ["board", "conversation"])).toEqual(route);
  });

  it("is read back as it was written", () => {
    const route = { team: "web", view: "conversation", item: "alice/1", task: 3, at: null } as const;
    expect(parseRoute(addressOf(route), "", ["board", "conversation"])).toEqual(route);
  });
});
