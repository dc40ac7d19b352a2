/** Finds the agent program that leads where no model is set, and asks which one where there are several. That answer is kept in the settings of the person. */
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { modelSpec } from "../../core/settings/agent-line.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Ready } from "../../host/models/usual-models.ts";
import { askLine } from "../kit/ask-line.ts";
import type { Invocation } from "../kit/invocation.ts";

/** The settings, with the lead that was chosen. Without a terminal the start says what there is. @throws as `Invocation.settings` */
export async function chooseLead(call: Invocation): Promise<Settings> {
  const settings = await call.settings();
  const canAsk = call.err.isTTY && !call.json && process.stdin.isTTY === true;
  if (!canAsk || settings.model !== undefined || settings.lead !== undefined) return settings;
  const { usualModel } = await import("../../host/models/usual-models.ts");
  try {
    const { spec, said } = await usualModel({ settings, env: call.env, folder: call.cwd });
    if (said === "") return settings;
    // The host need not look for programs again.
    call.say(said);
    return { ...settings, model: spec };
  } catch (error) {
    const ready = isEkidenError(error, "model_missing")
      ? (error.details.programs as readonly Ready[] | undefined)
      : [];
    if (!ready || ready.length < 2) return settings; // the start says what is missing
    const chosen = await askFor(call, ready);
    if (chosen === null) throw error;
    const { keepSetting } = await import("../../project/keep-setting.ts");
    await keepSetting("lead", chosen.name).then(
      () =>
        call.say(
          `${chosen.title} is the lead, now and in later starts ("lead" in your settings; --lead for one run).`,
        ),
      (why: unknown) => call.say(messageOf(why)),
    );
    return { ...settings, lead: modelSpec(chosen.name) };
  }
}

/** Null: the input has ended. */
async function askFor({ err }: Invocation, ready: readonly Ready[]): Promise<Ready | null> {
  const rows = ready.map(({ name, title }, i) => `  ${i + 1}  ${name}  ${err.paint("dim", title)}`);
  err.write(`${err.paint("warn", "No model is set. These agent programs are ready:")}\n${rows.join("\n")}\n`);
  return await askLine(err, `Which one shall lead? 1-${ready.length}: `, (line) =>
    ready.find(({ name }, i) => [name, String(i + 1)].includes(line)),
  );
}
