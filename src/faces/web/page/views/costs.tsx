/** The view of spent tokens and money. */
import { useMemo, useState } from "preact/hooks";
import { type Costs, type Spending, Spent } from "../../../../core/picture/spent.ts";
import { money, tokens } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { Button, Pair } from "../parts/fields.tsx";
import { Empty, Link, TaskLink } from "../parts/parts.tsx";

const SHOWN = 30;

export function CostsView() {
  const turns = [...app.live.members.values()].reduce((sum, member) => sum + member.turns, 0);
  const whole = useAnswer<Costs>("costs", turns);
  const then = useMoment();
  const { data, error } = then === null ? whole : { data: then, error: "" };
  if (error) return <Empty title="The journal cannot be read">{error}</Empty>;
  if (!data) return <Empty title="Loading" />;
  if (data.total.turns === 0)
    return <Empty title="Nothing spent yet">Tokens and money by member, model and task appear here.</Empty>;
  const { total } = data;
  return (
    <div class="costs">
      {app.replay && then === null && <p class="dim">Costs are those of the whole run.</p>}
      <dl class="totals">
        <Pair label="Cost">
          {total.usd > 0 ? exact(total.usd) : total.input + total.output > 0 ? "no price known" : "none"}
        </Pair>
        <Pair label="Turns">{total.turns}</Pair>
        <Pair label="Input">{tokens(total.input)}</Pair>
        <Pair label="From cache">
          {total.input > 0 ? `${Math.round((100 * total.cached) / total.input)} %` : "–"}
        </Pair>
        <Pair label="Output">{tokens(total.output)}</Pair>
      </dl>
      <Hours hours={data.hours} />
      <Table
        title="By member"
        rows={data.members}
        name={(who) => <Link to={{ view: "conversation", item: who }}>{who}</Link>}
      />
      <Table title="By model" rows={data.models} name={(model) => model || "none"} />
      <Table title="By task" rows={data.tasks} name={(id) => NO_TASK[id] ?? <TaskLink id={Number(id)} />} />
    </div>
  );
}

const NO_TASK: Readonly<Record<string, string>> = {
  lead: "the lead, without a task",
  idle: "teammates, between tasks",
  0: "without a task", // in recordings of older programs
};

/** So that parts add up: to a hundredth of a cent below a dollar. */
const exact = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

/** The costs at the moment of a replay; null where it is live, or a run is too long for its turns. */
function useMoment(): Costs | null {
  const { replay } = app;
  return useMemo(() => {
    if (!replay?.events.some(({ type }) => type === "turn.taken")) return null;
    const spent = new Spent();
    for (const event of replay.events) if (event.at <= replay.time) spent.apply(event);
    return spent.costs();
  }, [replay, replay?.time]);
}

/** By cost where there are prices, else by tokens. */
const weight = ({ usd, input, output }: Spending): number => (usd > 0 ? usd * 1e9 : input + output);

function Table({
  title,
  rows,
  name,
}: {
  title: string;
  rows: Readonly<Record<string, Spending>>;
  name: (key: string) => preact.ComponentChildren;
}) {
  const [isAll, setAll] = useState(false);
  const sorted = Object.entries(rows).sort(([, a], [, b]) => weight(b) - weight(a));
  const most = Math.max(1, weight(sorted[0]?.[1] ?? { turns: 0, input: 0, cached: 0, output: 0, usd: 0 }));
  return (
    <section>
      <div class="scroll-x" tabIndex={0} role="group" aria-label={title}>
        <table class="spending">
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col" class="grow">
                <span class="unseen">Name</span>
              </th>
              {["turns", "input", "cached", "output", "cost"].map((one) => (
                <th key={one} scope="col">
                  {one}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, isAll ? undefined : SHOWN).map(([key, one]) => (
              <tr key={key}>
                <th scope="row">
                  <span class="clip">{name(key)}</span>
                  <i class="bar" style={{ width: `${(100 * weight(one)) / most}%` }} />
                </th>
                <td>{one.turns}</td>
                <td>{tokens(one.input)}</td>
                <td>{tokens(one.cached)}</td>
                <td>{tokens(one.output)}</td>
                <td>{one.usd > 0 ? exact(one.usd) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > SHOWN && (
        <Button class="link" onClick={() => setAll(!isAll)}>
          {isAll ? "Show fewer" : `Show all ${sorted.length}`}
        </Button>
      )}
    </section>
  );
}

const HOUR_MS = 3_600_000;
const HOURS_MAX = 72;

function Hours({ hours }: { hours: Costs["hours"] }) {
  const keys = Object.keys(hours).map(Number);
  if (keys.length < 2) return null;
  const last = Math.max(...keys);
  const count = Math.min(HOURS_MAX, (last - Math.min(...keys)) / HOUR_MS + 1);
  const bars = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * HOUR_MS);
  const most = Math.max(1, ...keys.map((key) => weight(hours[key] as Spending)));
  return (
    <section>
      <h2>By hour</h2>
      <ol class="hours">
        {bars.map((at) => {
          const one = hours[at];
          const text = `${new Date(at).toLocaleString([], { weekday: "short", hour: "2-digit", minute: "2-digit" })}: ${one ? `${tokens(one.input + one.output)} tokens ${money(one.usd)}` : "nothing"}`;
          return (
            <li key={at} title={text}>
              <i style={{ height: `${one ? Math.max(2, (100 * weight(one)) / most) : 0}%` }} />
              <span class="unseen">{text}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
