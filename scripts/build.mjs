/** `npm run build`: the program and its page. tsdown's own command prints a warning about Node 20 first, which works. */
import { build } from "tsdown";
import { build as buildPage } from "vite";

await build({ config: "tsdown.config.ts", logLevel: "warn" });
await buildPage({ root: "src/faces/web/page" });
