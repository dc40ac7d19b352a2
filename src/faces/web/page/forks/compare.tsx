/** Two teams of the store side by side, such as a team and its fork: figures, tasks and files that differ. */
import type { CompareData } from "../../../../core/fork/compare.ts";
import { compareViews } from "../../../../core/fork/compare.ts";
import type { Cell, View } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { useAnswer } from "../live/facts.ts";
import { Choice } from "../parts/fields.tsx";
import { Empty, Link } from "../parts/parts.tsx";
import { Patch } from "../parts/text.tsx";

export function CompareView() {
  const { team, item } = app.route;
  const known = (app.overview?.teams ?? []).map(({ name }) => name as string);
  const others = known.filter((one) => one !== team);
  const ended = [...app.live.tasks.values()].filter(({ endedAt }) => endedAt !== null).length;
  const { data, error } = useAnswer<CompareData>(item === "" ? null : `compare/${item}`, ended);
  if (app.source.recording)
    return <Empty title="One team is recorded">It has no other to compare with.</Empty>;
  if (others.length === 0)
    return (
      <Empty title="There is one team">
        Fork it at a line of its <Link to={{ view: "journal", item: "" }}>journal</Link>, and compare both
        here.
      </Empty>
    );
  return (
    <div class="compare">
      <div class="toolbar">
        <b>{team}</b> with
        <Choice
          label="The other team"
          value={item}
          options={[
            ["", "Choose a team"],
            ...(item === "" || others.includes(item) ? others : [item, ...others]),
          ]}
          onValue={(other) => app.go({ item: other })}
        />
      </div>
      {error && <p class="bad">{error}</p>}
      {item !== "" && !error && !data && <Empty title="Loading" />}
      {data && <Sides data={data} />}
    </div>
  );
}

const TITLES = ["Figures", "Tasks that differ", "Files that differ"] as const;

function Sides({ data }: { data: CompareData }) {
  const views = compareViews(data);
  const { diff = "" } = data;
  return (
    <>
      {views.map((view, nth) => (
        <Table key={TITLES[nth]} title={TITLES[nth] ?? ""} view={view} />
      ))}
      {diff !== "" && (
        <section>
          <h2>
            The files: <span class="minus">−</span> only {data.sides[0].team}, <span class="plus">+</span>{" "}
            only {data.sides[1].team}
          </h2>
          <Patch text={diff} />
        </section>
      )}
    </>
  );
}

function Table({ title, view }: { title: string; view: View }) {
  if (view.kind !== "table") return null;
  return (
    <section>
      <h2>{title}</h2>
      {view.rows.length === 0 ? (
        <p class="dim">{view.empty}</p>
      ) : (
        <div class="scroll-x" tabIndex={0} role="group" aria-label={title}>
          <table class="sides">
            <thead>
              <tr>
                {view.columns.map((column) => (
                  <th key={column.name} scope="col" class={column.align ? "right" : ""}>
                    {column.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {view.rows.map((row, nth) => (
                <tr key={nth}>
                  {row.map((cell: Cell, at) => (
                    <td key={at} class={`${view.columns[at]?.align ? "right " : ""}${cell.tone ?? ""}`}>
                      {cell.text}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
