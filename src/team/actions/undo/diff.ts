/** What an undo would change, as a diff. */
import type { Target } from "../../../core/undo/unwind.ts";

const MAX = 400_000;

export async function diffOf(targets: readonly Target<Buffer>[]): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const parts = targets.map(({ root, path, now, was }) => {
    const name = root === "" ? path : `${root}/${path}`;
    const [old, fresh] = [now?.content ?? Buffer.alloc(0), was?.content ?? Buffer.alloc(0)];
    const head = `diff --git a/${name} b/${name}`;
    const modes = now && was && now.mode !== was.mode ? `\nold mode ${now.mode}\nnew mode ${was.mode}` : "";
    if ([old, fresh].some((one) => one.includes(0))) return `${head}${modes}\nBinary files differ`;
    if (old.length + fresh.length > MAX) return `${head}${modes}\nToo large to show`;
    const [from, to] = [now === null ? "/dev/null" : `a/${name}`, was === null ? "/dev/null" : `b/${name}`];
    const text = createTwoFilesPatch(from, to, old.toString(), fresh.toString(), undefined, undefined, {
      context: 3,
    });
    return `${head}${modes}\n${text.replace(/^=+\n/, "").trimEnd()}`;
  });
  return parts.join("\n");
}
