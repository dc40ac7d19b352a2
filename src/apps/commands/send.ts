/** `ekiden send`: mail from the person, or from the member in whose shell it was typed. It reaches a member before its next model call. */
import { join } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import { address, fullName, PERSON } from "../../core/ids.ts";
import { checkText } from "../../core/mail.ts";
import { mayMail } from "../../core/settings.ts";
import type { Store } from "../../ports/index.ts";
import { sendAcross } from "../../tools/mail.ts";
import { actorOf } from "../actor.ts";
import type { Invocation } from "../invocation.ts";
import { withTeam } from "../open.ts";

export async function run(
  call: Invocation,
  [to = "", ...words]: readonly string[],
  options: { urgent?: boolean },
): Promise<undefined> {
  const typed = checkText(words.join(" "));
  const { who, team } = address(to);
  const settings = await call.settings();
  if (team !== null && team !== settings.team && !mayMail(settings, team))
    throw new EkidenError(
      "bad_input",
      `mail from team "${settings.team}" to team "${team}" is not allowed by the setting mailAcrossTeams. As yourself: ekiden --team ${team} send ${who} TEXT.`,
    );
  await withTeam(call, "look", async (store) => {
    const { mail } = store;
    const from = await actorOf(call, store);
    const text = from === PERSON ? await passed(call, store, typed, to) : typed;
    const note = { to: who, body: { kind: "note", text }, urgent: options.urgent === true } as const;
    if (who === "all" && team === null) {
      const names = await mail.broadcast(from, { kind: "broadcast", text });
      if (call.json) call.out.write(`${JSON.stringify({ to: names })}\n`);
      else call.say(names.length > 0 ? `sent to ${names.join(", ")}` : "there is nobody to send it to");
      return;
    }
    const id =
      team === null || team === store.team
        ? await mail.send(from, note)
        : await sendAcross(store, team, fullName(from, store.team), note);
    if (call.json) call.out.write(`${JSON.stringify({ id, to: [to] })}\n`);
    else call.say(`sent to ${to}${options.urgent ? ", urgent" : ""}`);
  });
}

/** Through the person's own hooks, as whatever they say in the conversation with the lead. */
async function passed(call: Invocation, store: Store, text: string, to: string): Promise<string> {
  const { hooks } = await call.settings();
  if (!hooks.UserPromptSubmit?.length) return text;
  const [{ createShell }, { Hooks }] = await Promise.all([
    import("../../adapters/shell/index.ts"),
    import("../../runtime/hooks/hooks.ts"),
  ]);
  const shell = createShell({ outputDir: join(call.cwd, ".ekiden", "output") });
  try {
    const { signal } = new AbortController();
    return await new Hooks({ hooks, shell, store, cwd: call.cwd }).submit(text, to, signal);
  } finally {
    await shell.close();
  }
}
