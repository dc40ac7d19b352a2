/** Checks of protections: the sandbox of commands, and items of the project that wait for the person's word. */
import type { Settings } from "../../core/settings/settings.ts";
import { visible } from "../../project/trust/untrusted.ts";
import { asked, describe, type ProjectTrust } from "../../project/trust/weigh.ts";
import type { Invocation } from "../kit/invocation.ts";
import { sandboxOf } from "../kit/sandbox-question.ts";
import { type Finding, missing, ok, wrong } from "./finding.ts";

export async function sandbox({ cwd }: Invocation, settings: Settings): Promise<Finding> {
  const name = "sandbox";
  const open = await sandboxOf(cwd, settings);
  try {
    const { mode, active, isFaulty, text, network, version } = await open.status();
    if (active) return ok(name, `${text} Network: ${network}. Program: ${version}`);
    if (mode === "required" || isFaulty) return wrong(name, text);
    const fix =
      mode === "off"
        ? "Set sandbox to auto or required."
        : "Until then commands run with all your rights, and more of them are asked about.";
    return missing(name, text, fix);
  } finally {
    await open.close();
  }
}

export function trusted(trust: ProjectTrust): Finding {
  const name = "trust";
  const { refused, brought } = trust;
  const lines = [
    ...describe(trust, asked(trust)).map((text) => `waits: ${visible(text)}`),
    ...refused.map((text) => `never used: ${visible(text)}`),
  ];
  if (lines.length > 0) return missing(name, lines.join("\n"), "Read it; to agree: ekiden trust.");
  const what = brought.length === 0 ? "brings nothing that needs" : "brings nothing that waits for";
  return ok(name, `the project ${what} your word`);
}
