/** A process that consolidates the memory of the project it is given, over and over, until it is killed. */
import { MemoryFolder } from "../../src/adapters/disk/memory.ts";
import { instant } from "../../src/core/ids.ts";

const memory = new MemoryFolder(process.argv[2] ?? "");
process.stdout.write("ready\n");
for (let round = 0; ; round += 1) {
  await memory.consolidate(
    async (topics) => [
      { topic: `all-${round}`, text: topics.map(({ text }) => text.trim()).join("\n") },
      { topic: "last", text: `- round ${round}` },
    ],
    instant(Date.now()),
  );
}
