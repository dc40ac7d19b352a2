/** Opens the editor of the plan, and does on the board what it asks for. */
import { notFound } from "../../../core/errors.ts";
import { PERSON, type TaskId } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import type { Place } from "../place.ts";
import type { PlanDone, PlanPlace } from "./plan-view.ts";

/** @throws EkidenError what the store throws */
export async function openPlan({ screen, host, call }: Place): Promise<void> {
  const [{ PlanView }, { planReader }, acts, { answer }] = await Promise.all([
    import("./plan-view.ts"),
    import("../../../team/plan/planned.ts"),
    import("../../../team/plan/edit.ts"),
    import("../../../team/actions/answer.ts"),
  ]);
  const { store } = host;
  const view = new PlanView({
    style: screen.style,
    read: planReader(store),
    move: (id, by) => acts.moveTask(store, PERSON, id, by),
    edit: (id, field, text) => acts.editPlanned(store, PERSON, id, { [field]: text }),
    remove: (id) => acts.removePlanned(store, PERSON, id),
    add: (subject) => add(store, subject, call.cwd),
    describe: (id) => describe(store, id, (text) => screen.tools.outside(text)),
    answer: (question, words) => answer(store, question, words),
    close: (said) => {
      screen.tools.show(null);
      if (said !== "") screen.say(screen.style.paint("good", said));
    },
    changed: () => screen.changed(),
    now: () => Date.now(),
  });
  await view.read();
  screen.tools.show(view);
}

async function add(store: Store, subject: string, cwd: string): Promise<PlanDone> {
  const { addTask, cancelTask } = await import("../../../team/actions/tasks.ts");
  const { data, text } = await addTask(store, PERSON, { subject });
  return { text, shows: data.id, undo: () => cancelTask(store, PERSON, data.id, "taken off the plan", cwd) };
}

type Outside = (text: string) => ReturnType<Place["screen"]["tools"]["outside"]>;

/** The description in the editor of the person. Where somebody changes it meanwhile, the editor opens again with both. */
async function describe(store: Store, id: TaskId, outside: Outside): ReturnType<PlanPlace["describe"]> {
  const { editTask } = await import("../../../team/actions/tasks.ts");
  let before: string | undefined;
  let text: string | undefined;
  for (;;) {
    const now = (await store.board.task(id))?.description;
    if (now === undefined) throw notFound(`Task #${id} no longer exists.`);
    if (text !== undefined && now === before) break;
    const shown = text === undefined ? now : `${text}\n\n${MEANWHILE}\n${now}`;
    const edited = await outside(shown);
    if (edited === null || "fault" in edited) return { text: edited?.fault ?? "an editor is open already" };
    if (edited.text === now) return { text: `#${id} is unchanged` };
    [before, text] = [now, edited.text];
  }
  const old = before ?? "";
  const { text: done } = await editTask(store, PERSON, id, { description: text });
  return { text: done, undo: () => editTask(store, PERSON, id, { description: old }) };
}

const MEANWHILE =
  "--- Somebody changed it meanwhile. Theirs is below: keep what is right, and remove this line. ---";
