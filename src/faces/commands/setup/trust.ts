/** `ekiden trust`: the person agrees to what this project brings, until it changes; lists the agreements; takes one back. */
import { EkidenError } from "../../../core/errors.ts";
import type { Figure } from "../../../core/views/view.ts";
import { refuseMember } from "../../../project/member-shell.ts";
import { userFolder } from "../../../project/own-folders.ts";
import { allRecords, revoke } from "../../../project/trust/record.ts";
import { bullets, list, visible } from "../../../project/trust/untrusted.ts";
import { asked, describe, type ProjectTrust, recordTrust } from "../../../project/trust/weigh.ts";
import type { Invocation } from "../../kit/invocation.ts";
import { askForTrust } from "../../kit/trust-question.ts";
import type { Run } from "../entry.ts";

type Options = { readonly list?: boolean; readonly revoke?: boolean };

export const run: Run<Options> = async (call, _, { list: isList = false, revoke: isRevoked = false }) => {
  const folder = userFolder();
  if (isList) return await show(call, folder);
  refuseMember(call.env, "only the person may agree to what a project brings, or take that back.");
  if (isRevoked) {
    const done = revoke(folder, call.cwd);
    const text = done
      ? "taken back: this project is asked about again"
      : "there was no agreement about this project";
    call.done({ data: { project: call.cwd, revoked: done }, text });
    return;
  }
  const trust = await call.trust();
  for (const text of trust.refused) call.say(`never used: ${visible(text)}`);
  const items = asked(trust);
  if (items.length > 0 && process.stdin.isTTY === true && call.err.isTTY && !call.json) {
    const { yes } = await askForTrust(trust, call.err);
    if (!yes) throw new EkidenError("not_trusted", "you did not agree, so nothing was changed.");
  }
  const text =
    items.length === 0
      ? "nothing in this project waits for your word"
      : `agreed, until it changes:\n${bullets(list(trust))}`;
  recordTrust(trust);
  call.done({ data: { project: call.cwd, agreed: items.map(({ id }) => id) }, text });
};

async function show(call: Invocation, userFolder: string): Promise<undefined> {
  const folders = allRecords(userFolder)
    .map(({ path, items }) => ({ path, items: Object.values(items).flatMap(({ text }) => text || []) }))
    .filter(({ items }) => items.length > 0);
  const trust: ProjectTrust = await call.trust();
  const data = { folders, waiting: describe(trust, asked(trust)), refused: trust.refused };
  await call.show(data, () => {
    const figures: Figure[] = folders.map(({ path, items }) => ({
      label: visible(path),
      text: items.map(visible).join("\n"),
    }));
    if (data.waiting.length > 0)
      figures.push({ label: "waiting here", text: data.waiting.map(visible).join("\n"), tone: "warn" });
    if (data.refused.length > 0)
      figures.push({ label: "never used", text: data.refused.map(visible).join("\n"), tone: "bad" });
    if (figures.length === 0)
      figures.push({ label: "trust", text: "you have not agreed to any project, and nothing waits here" });
    return [{ kind: "figures", figures }];
  });
}
