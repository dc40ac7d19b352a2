/** `ekiden send`: mail from the person. It reaches a member before its next model call. */
import { name, PERSON } from "../../core/ids.ts";
import { checkText } from "../../core/mail.ts";
import type { Call } from "../call.ts";
import { withTeam } from "../open.ts";

export async function run(
  call: Call,
  [to = "", ...words]: readonly string[],
  options: { urgent?: boolean },
): Promise<undefined> {
  const text = checkText(words.join(" "));
  const who = name(to);
  await withTeam(call, "look", async ({ mail }) => {
    if (who === "all") {
      const names = await mail.broadcast(PERSON, { kind: "broadcast", text });
      if (call.json) call.out.write(`${JSON.stringify({ to: names })}\n`);
      else call.say(names.length > 0 ? `sent to ${names.join(", ")}` : "there is nobody to send it to");
      return;
    }
    const id = await mail.send(PERSON, {
      to: who,
      body: { kind: "note", text },
      urgent: options.urgent === true,
    });
    if (call.json) call.out.write(`${JSON.stringify({ id, to: [who] })}\n`);
    else call.say(`sent to ${who}${options.urgent ? ", urgent" : ""}`);
  });
}
