/** The usage of each member: model calls, tokens, US dollars. */
import type { Member } from "../../core/board/member.ts";
import { type Cell, money, tokens, type View } from "../../core/views/view.ts";
import type { Store } from "../../ports/index.ts";

type Figures = Pick<Member, "turns" | "inputTokens" | "cachedTokens" | "outputTokens" | "usd">;
export type CostsData = {
  readonly team: string;
  readonly members: readonly (Figures & Pick<Member, "name" | "model">)[];
  readonly all: Figures;
};

export async function costs({ team, roster }: Store): Promise<CostsData> {
  const members = (await roster.members()).map(
    ({ name, model, turns, inputTokens, cachedTokens, outputTokens, usd }) => ({
      ...{ name, model, turns, inputTokens, cachedTokens, outputTokens, usd },
    }),
  );
  const sum = (key: keyof Figures): number => members.reduce((total, member) => total + member[key], 0);
  const all = {
    turns: sum("turns"),
    inputTokens: sum("inputTokens"),
    cachedTokens: sum("cachedTokens"),
    outputTokens: sum("outputTokens"),
    usd: sum("usd"),
  };
  return { team, members, all };
}

/** The share of the input that came from the provider's cache. */
const share = (cached: number, read: number): string =>
  read === 0 ? "" : `${Math.floor((100 * cached) / read)} %`;

export function costsViews({ members, all }: CostsData): View[] {
  const row = (name: string, { turns, inputTokens, cachedTokens, outputTokens, usd }: Figures): Cell[] =>
    [
      ...[name, String(turns), ...[inputTokens, cachedTokens].map(tokens)],
      ...[share(cachedTokens, inputTokens), tokens(outputTokens), money(usd)],
    ].map((text) => ({ text }));
  const rows = members.map((member) => row(member.name, member));
  return [
    {
      kind: "table",
      columns: [
        { name: "name" },
        ...["turns", "read", "cached", "share", "written", "cost"].map((name) => ({
          name,
          align: "right" as const,
        })),
      ],
      rows: rows.length > 1 ? [...rows, row("all", all)] : rows,
      empty: "No member has used anything yet.",
    },
  ];
}
