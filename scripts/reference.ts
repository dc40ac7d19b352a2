/** `npm run reference`: writes docs/reference from the code. test/reference.test.ts checks that it is current. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pages } from "./reference/pages.ts";

const FOLDER = resolve(import.meta.dirname, "../docs/reference");

mkdirSync(FOLDER, { recursive: true });
const made = pages();
for (const file of readdirSync(FOLDER)) if (!Object.hasOwn(made, file)) rmSync(join(FOLDER, file));
for (const [file, text] of Object.entries(made)) writeFileSync(join(FOLDER, file), text);
console.log(`docs/reference: ${Object.keys(made).join(", ")}`);
