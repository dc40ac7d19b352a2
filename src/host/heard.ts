/** Gives the faces new texts of models and new output of commands, without secrets. */

import { StringDecoder } from "node:string_decoder";
import { derived } from "../core/derived.ts";
import type { Name } from "../core/ids.ts";
import { RedactedStream } from "../core/text/redacted.ts";
import type { Delta, Model, Shell } from "../ports/index.ts";
import type { Parts } from "./parts.ts";
import type { HostOptions } from "./team-host.ts";

/** The model, whose words also other processes of this machine can read while they arrive; its reply is as it was. */
export function heardWithout(
  { secrets, liveOutput }: Pick<Parts, "secrets" | "liveOutput">,
  name: Name,
  model: Model,
): Model {
  const reply: Model["reply"] = async (request, options) => {
    const { onDelta } = options;
    if (!onDelta) return await model.reply(request, options);
    const streams = new Map<Delta["type"], Words>();
    const end = (): void => {
      for (const stream of streams.values()) stream.end();
      streams.clear();
    };
    const open = (type: Delta["type"]): Words => {
      end();
      const tail = liveOutput.begin(name, "", type);
      const stream = new RedactedStream(secrets, (text) => {
        onDelta({ type, text });
        tail.add(Buffer.from(text));
      });
      const words = {
        push: (text: string) => stream.push(text),
        end: () => {
          stream.end();
          tail.end();
        },
      };
      streams.set(type, words);
      return words;
    };
    const heard = ({ type, text }: Delta): void => (streams.get(type) ?? open(type)).push(text);
    try {
      return await model.reply(request, { ...options, onDelta: heard });
    } finally {
      end();
    }
  };
  return derived(model, { reply });
}

type Words = { push(text: string): void; end(): void };

/** A shell whose commands are heard while they print. */
export const heardShell = (
  { shell, liveOutput, secrets }: Pick<Parts, "shell" | "liveOutput" | "secrets">,
  name: Name,
  onOutput: HostOptions["onOutput"],
): Shell => ({
  ...shell,
  async run(command, options) {
    const tail = liveOutput.begin(name, command);
    const decoder = new StringDecoder("utf8");
    const shown = secrets.redact(command);
    const stream = onOutput && new RedactedStream(secrets, (text) => onOutput(name, shown, text));
    try {
      return await shell.run(command, {
        ...options,
        onOutput: (chunk) => {
          tail.add(chunk);
          stream?.push(decoder.write(chunk));
        },
      });
    } finally {
      stream?.end();
      tail.end();
    }
  },
});
