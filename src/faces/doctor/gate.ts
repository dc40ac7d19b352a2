/** `ekiden doctor --gate`: how much the gate lets through, with the faults that it did not notice. The last measure is kept for `ekiden doctor`. */
import { landingsOf } from "../../adapters/git/landing/landings.ts";
import { replaceOwnFile } from "../../adapters/small-files.ts";
import { badInput, orElse } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { type LeakReport, leakWords } from "../../core/views/leak.ts";
import { counted, type View } from "../../core/views/view.ts";
import { withTeam } from "../../project/open.ts";
import { askGit } from "../../project/own-git.ts";
import { makeProjectFolder } from "../../project/project-folder.ts";
import { flakyTests } from "../../team/queries/flaky.ts";
import { type KeptLeak, keptLeak, leakFileIn } from "../../team/queries/last-leak.ts";
import { type Invocation, wholeNumber } from "../kit/invocation.ts";
import { type Finding, missing, ok } from "./finding.ts";

const FAULTS = "60";
const LANDINGS = 30;

export async function measureGate(
  call: Invocation,
  { faults = FAULTS, dismiss }: { readonly faults?: string | undefined; readonly dismiss: readonly string[] },
): Promise<number | undefined> {
  const { cwd } = call;
  const most = wholeNumber("--faults", faults);
  makeProjectFolder(cwd);
  const kept = keptLeak(cwd);
  const keep = (now: KeptLeak): void => replaceOwnFile(leakFileIn(cwd), `${JSON.stringify(now, null, 2)}\n`);
  if (dismiss.length > 0) {
    const known = new Set(kept.last?.survivors.map(({ id }) => id));
    const odd = dismiss.find((id) => !known.has(id));
    if (odd !== undefined)
      throw badInput(
        `${quote(odd)} is not a fault of the last measurement. Its faults: ${[...known].join(", ") || "none"}.`,
      );
    keep({ ...kept, dismissed: [...new Set([...kept.dismissed, ...dismiss])] });
    call.say(`${counted(dismiss.length, "fault")} will no longer be counted.`);
    return undefined;
  }
  const landings = await orElse(landingsOf(cwd, askGit(cwd)), "bad_input", null);
  const landed = withTeam(call, "look", async (store) => await landings?.landed(store.landings, LANDINGS));
  const unsteady = await orElse(withTeam(call, "look", flakyTests), "not_found", []);
  const commits = ((await orElse(landed, "not_found", [])) ?? []).map(({ commit }) => commit);
  const over = new AbortController();
  const end = (): void => over.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    const { measureLeak } = await import("../../host/gate-leak.ts");
    const report = await measureLeak({
      ...{ cwd, env: call.env, settings: await call.settings(), trust: await call.trust(), most },
      ...{ landed: commits, dismissed: new Set(kept.dismissed), signal: over.signal },
      tell: (text) => call.say(text),
    });
    keep({ ...kept, last: { ...report, at: Date.now() } });
    await call.show({ ...report, flaky: unsteady }, (shown) => views(shown, unsteady));
    return report.isCut ? 130 : undefined;
  } catch (error) {
    if (!over.signal.aborted) throw error;
    call.say("Ended before a fault was tried.");
    return 130;
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

function views(report: LeakReport, flaky: readonly string[]): View[] {
  const rows = report.survivors.map(({ id, path, line, kind, before, after }) => [
    { text: id },
    { text: `${path}:${line}` },
    { text: kind },
    { text: `${before.trim()} → ${after.trim() || "(nothing)"}` },
  ]);
  const columns = [
    { name: "id" },
    { name: "line" },
    { name: "fault" },
    { name: "not noticed", grow: true as const },
  ];
  const how = rows.length > 0 ? ". One that changes nothing: ekiden doctor --dismiss ID" : "";
  const figures = [
    { label: report.gate, text: `on ${report.target} ${leakWords(report)}${how}.` },
    ...(flaky.length > 0
      ? [{ label: "flaky", text: `red and then green without a change: ${flaky.join(", ")}` }]
      : []),
  ];
  return [
    { kind: "figures", figures },
    { kind: "table", columns, rows, empty: "" },
  ];
}

/** For `ekiden doctor`: the last measure. */
export function gateFinding(cwd: string, gate: string | undefined): Finding {
  const { last } = keptLeak(cwd);
  if (gate === undefined) return missing("gate", "none is set, so nothing is tested before it lands");
  if (last === null) return ok("gate", `${gate}; how much it lets through: ekiden doctor --gate`);
  return ok("gate", `${gate}; on ${new Date(last.at).toISOString().slice(0, 10)} ${leakWords(last)}`);
}
