/** A newer version of the program: a copy of the built one whose database has one step of migration more. */
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The refusal of an older program tells how the number is called in the built file. */
const NAME = /this Ekiden supports schemas up to \$\{([\w$]+)\}/;

/** Returns the path of its main file. `main`: that of the built program. */
export function newerProgram(dir: string, main: string): string {
  const own = join(dir, "newer");
  const from = dirname(main);
  cpSync(from, join(own, "dist"), { recursive: true });
  for (const file of ["node_modules", "package.json"]) symlinkSync(join(from, "..", file), join(own, file));
  for (const file of readdirSync(from).filter((one) => one.endsWith(".js"))) {
    const text = readFileSync(join(from, file), "utf8");
    const [, name] = NAME.exec(text) ?? [];
    if (name === undefined) continue;
    const newer = text.replace(
      new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}=([\\w$]+\\.length)(?![\\w$])`),
      (all) => `${all}+1`,
    );
    if (newer === text) throw new Error(`${file} does not say how many schemas there are`);
    writeFileSync(join(own, "dist", file), newer);
    return join(own, "dist", "main.js");
  }
  throw new Error(`No file in ${from} knows a schema: npm run build`);
}
