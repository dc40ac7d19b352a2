/** Program texts of `sed`, `awk` and `jq` that neither write, nor run a program, nor read further files. */

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n]|\\[^\n])*/I?)`;
const TO = String.raw`(?:\s*,\s*(?:[+~]\d+|${ADDRESS}))?`;
/** `s` without `e` and `w`, and `y`: three times the same sign, none of them escaped. */
const REPLACE = String.raw`[sy]([^\s\\\w])(?:\\[^]|(?!\1)[^\\])*\1(?:\\[^]|(?!\1)[^\\])*\1[gpiIM0-9]*`;
const COMMAND = String.raw`(?:[pdqQ=nNhHgGxDPl]\d*|${REPLACE})(?![^\s;}])`;
const SED = new RegExp(String.raw`[\s;{}!]*(?:(?:${ADDRESS}${TO}[\s!]*)?(?:[{}]|${COMMAND})|$)`, "y");

/** Addresses, the commands that print, delete and move lines, `s` and `y`. */
export function isHarmlessSed(script: string): boolean {
  for (SED.lastIndex = 0; SED.lastIndex < script.length; ) if (!SED.test(script)) return false;
  return true;
}

/** `>` is a comparison where nothing is printed before it; a pipe, `getline` and `system` start programs or open files. */
export const isHarmlessAwk = (script: string): boolean =>
  !/\||getline|system|@|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|\\\n/.test(script.replaceAll("||", "")) &&
  !/print.*>/s.test(script);

/** Modules and data are read from files; the environment may hold secrets. */
export const isHarmlessJq = (script: string): boolean =>
  !/\b(?:import|include|env|ENV|modulemeta|input_filename|get_search_list)\b/.test(script);
