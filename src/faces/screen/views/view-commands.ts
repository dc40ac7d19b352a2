/** Commands that open a view on the whole screen: `/review`, `/model`. */
import { badInput, EkidenError } from "../../../core/errors.ts";
import { LEAD, name, quote, taskId } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import type { Invocation } from "../../kit/invocation.ts";
import type { FirstModel } from "../ask/first-model.ts";
import { oneLine } from "../draw/style.ts";
import type { Place } from "../place.ts";

/** @throws EkidenError `bad_input` where there is nothing to review */
export async function openReview({ screen, host, call }: Place, path = ""): Promise<void> {
  const [{ OutcomeReader }, { review }, { reviewRows }, { ReviewView }] = await Promise.all([
    import("../../../team/queries/outcome.ts"),
    import("../../../team/actions/review.ts"),
    import("./review-rows.ts"),
    import("./review-view.ts"),
  ]);
  const reader = new OutcomeReader(host.store, call.cwd);
  const { began, diff, tasks } = await reader.read(false);
  if (diff === null && began !== null)
    throw badInput("This folder is not a git repository: there is nothing to compare with.");
  const titles = new Map<number, string>();
  for (const id of new Set(Object.values(tasks).flat())) {
    const task = await host.store.board.task(taskId(id)).catch(() => null);
    const owner = task && "owner" in task && task.owner !== null ? ` · ${task.owner}` : "";
    titles.set(id, task ? `#${id} ${oneLine(task.subject)}${owner}` : `#${id}`);
  }
  const writerOf = await reader.writersOf(Object.keys(tasks));
  const titleOf = (file: string): string =>
    (tasks[file] ?? []).map((id) => titles.get(id) ?? `#${id}`).join(", ");
  const rows = reviewRows(diff ?? "", path, titleOf, writerOf);
  if (rows.length === 0)
    throw badInput(
      path === "" ? "Nothing has changed since the run began." : `${quote(path)} has not changed.`,
    );
  const view = new ReviewView(rows, {
    style: screen.style,
    send: async (comments) => {
      const writers = await reader.writersOf(comments.map((one) => one.path));
      return await review(host.store, comments, writers, { settings: await call.settings(), cwd: call.cwd });
    },
    close: (said) => {
      screen.tools.show(null);
      if (said !== "") screen.say(screen.style.paint("good", said));
    },
    changed: () => screen.changed(),
  });
  screen.tools.show(view);
}

/** One task on the whole screen. `screen.watches`: without keys that change it. @throws EkidenError `bad_input` | `not_found` */
export async function openTask(
  { screen, team, call }: Pick<Place, "screen" | "team" | "call">,
  store: Store,
  typed = "",
): Promise<void> {
  const { TaskView } = await import("./task-view.ts");
  const view = new TaskView(taskId(typed), {
    ...{ style: screen.style, out: { ...call.out, paint: screen.style.paint }, cwd: call.cwd, store, team },
    watches: screen.watches,
    submit: (line) => screen.submit(line),
    giveBack: (text) => screen.giveBack(text),
    close: () => screen.tools.show(null),
    changed: () => screen.changed(),
    now: () => Date.now(),
  });
  await view.read();
  screen.tools.show(view);
}

const OTHER = "another provider, key or agent program …";

/** The rows of the first start. A key that is typed is known to a new process of the team only. */
async function chooseFirst(
  { screen, call }: Place,
  restart: NonNullable<Place["restart"]>,
  wanted?: string,
): Promise<void> {
  const { FirstModelView } = await import("../ask/first-model.ts");
  const chosen = (model: FirstModel | null): void => {
    screen.tools.show(null);
    if (model) restart(model);
  };
  const why = "The team starts again with it; nothing is lost.";
  const changed = (): void => screen.changed();
  const parts = { style: screen.style, env: call.env, folder: call.cwd, ...(wanted && { wanted }) };
  screen.tools.show(new FirstModelView({ ...parts, why, chosen, changed }));
}

/** `/model` with words. A key that is missing is asked for where the model is for all. @throws as the order */
export async function setModel(
  place: Place,
  [spec = "", who]: readonly string[],
  done: Invocation["done"],
): Promise<void> {
  const order = { kind: "model", model: spec, who: who === undefined ? null : name(who) } as const;
  try {
    done(await place.host.order(order));
  } catch (error) {
    const isKeyMissing = error instanceof EkidenError && error.code === "model_auth";
    if (!isKeyMissing || who !== undefined || !place.restart) throw error;
    await chooseFirst(place, place.restart, spec);
  }
}

/** The models that the providers offer, those in use first; the choice counts for all members. */
export async function chooseModel(place: Place): Promise<void> {
  const { screen, host, restart } = place;
  const isWithout = [...host.models.values()].every((model) => model === "runbook");
  if (restart && isWithout) return chooseFirst(place, restart);
  const { ChooseView } = await import("./choose-view.ts");
  screen.note("asking the providers for their models …");
  const offered = await host.offeredModels().catch(() => []);
  screen.note("");
  const used = new Map<string, string[]>();
  for (const [who, model] of host.models) used.set(model, [...(used.get(model) ?? []), who]);
  const choices = [...new Set([...used.keys(), ...offered])].map((value) => ({
    value,
    about: used.get(value)?.join(", ") ?? "",
  }));
  if (restart) choices.push({ value: OTHER, about: "the team starts again with it" });
  const view = new ChooseView(choices, {
    style: screen.style,
    title: "the model of all members (of one: /model MODEL NAME)",
    current: host.models.get(LEAD) ?? "",
    chosen: (value) => {
      screen.tools.show(null);
      if (value === OTHER && restart) void chooseFirst(place, restart);
      else if (value !== null) screen.submit(`/model ${value}`);
    },
    changed: () => screen.changed(),
  });
  screen.tools.show(view);
}
