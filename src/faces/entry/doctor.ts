/** `ekiden doctor`: every check with what was found and, where something is wrong, how to fix it. Keys are never shown. */
import type { Figure, View } from "../../core/views/view.ts";
import type { Run } from "../commands/entry.ts";
import { runChecks } from "../doctor/checks.ts";
import type { Finding } from "../doctor/finding.ts";

type Options = { gate?: boolean; forge?: boolean; faults?: string; dismiss?: string[] };

export const run: Run<Options> = async (call, _, { gate = false, forge = false, faults, dismiss = [] }) => {
  if (gate || dismiss.length > 0)
    return await (await import("../doctor/gate.ts")).measureGate(call, { faults, dismiss });
  const findings = forge
    ? await (await import("../doctor/forge.ts")).forgeFindings(call)
    : await runChecks(call);
  const ok = findings.every((finding) => finding.state !== "wrong");
  await call.show({ ok, findings }, () => [view(findings)]);
  return ok ? undefined : 1;
};

const LOOKS = {
  ok: { glyph: "✓", tone: "good" },
  missing: { glyph: "–", tone: "dim" },
  wrong: { glyph: "✗", tone: "bad" },
} as const;

function view(findings: readonly Finding[]): View {
  const figures = findings.map(({ name, state, found, fix }): Figure => {
    const { glyph, tone } = LOOKS[state];
    return {
      label: `${glyph} ${name}`,
      text: fix ? `${found}\n→ ${fix}` : found,
      tone: state === "ok" ? "plain" : tone,
    };
  });
  return { kind: "figures", figures };
}
