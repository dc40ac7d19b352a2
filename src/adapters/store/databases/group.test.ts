import { describe, expect, it } from "vitest";
import { Group } from "./group.ts";

type Item = { readonly who: string; readonly kind: "claim" | "complete" };

/** A group that writes down its rounds. Answers with the member's name. */
function stage() {
  const rounds: string[][] = [];
  const group = new Group<Item, string>({
    run: async (items) => {
      rounds.push(items.map(({ who, kind }) => `${kind} ${who}`));
      return items.map(({ who }) => who);
    },
    keyOf: ({ who }) => who,
    kindOf: ({ kind }) => kind,
  });
  const claim = (who: string) => group.ask({ who, kind: "claim" });
  const complete = (who: string) => group.ask({ who, kind: "complete" });
  return { rounds, claim, complete };
}

describe("a group of calls", () => {
  it("runs calls of one kind that come together as one round", async () => {
    const { rounds, claim } = stage();
    expect(await Promise.all([claim("a"), claim("b"), claim("c")])).toEqual(["a", "b", "c"]);
    expect(rounds).toEqual([["claim a", "claim b", "claim c"]]);
  });

  it("brings members that claim and complete in turn into one step", async () => {
    const { rounds, claim, complete } = stage();
    const work = async (who: string, turns: number) => {
      for (let turn = 0; turn < turns; turn += 1) {
        await claim(who);
        await complete(who);
      }
    };
    // "late" begins with a completion, half a turn behind the others.
    await Promise.all([work("a", 3), work("b", 3), complete("late").then(() => work("late", 2))]);
    expect(rounds).toEqual([
      ["claim a", "claim b"],
      ["complete late", "complete a", "complete b"],
      ["claim late", "claim a", "claim b"],
      ["complete late", "complete a", "complete b"],
      ["claim late", "claim a", "claim b"],
      ["complete late", "complete a", "complete b"],
    ]);
  });

  it("lets the kinds take turns, so that neither waits for more than one round of the other", async () => {
    const { rounds, claim, complete } = stage();
    const many = Array.from({ length: 120 }, (_, i) => claim(`m-${i}`));
    await Promise.all([...many, complete("x")]);
    expect(rounds.map(([first, ...more]) => [first?.split(" ")[0], more.length + 1])).toEqual([
      ["claim", 50],
      ["complete", 1],
      ["claim", 50],
      ["claim", 20],
    ]);
  });

  it("has one call of a member in a round", async () => {
    const { rounds, claim } = stage();
    await Promise.all([claim("a"), claim("a"), claim("b")]);
    expect(rounds).toEqual([["claim a", "claim b"], ["claim a"]]);
  });
});
