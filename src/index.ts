/** The library: what a program that embeds Ekiden may import. Anything not exported here may change at any time. */
import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;
