/** Program texts of `sed`, `awk` and `jq` that neither write, nor run a program, nor read further files. */

const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^\\/\n]|\\[^\n])*\/I?)/y;
const COMMAND = /[pdqQ=nNhHgGxDPl]\d*/y;
const FLAGS = /[gpiIM0-9]*/y;
const BETWEEN = /[\s;{}!]*/y;

/** Addresses, the commands that print, delete and move lines, `s` without `e` and `w`, and `y`. */
export function isHarmlessSed(script: string): boolean {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  for (take(BETWEEN); at < script.length; take(BETWEEN)) {
    if (take(ADDRESS) !== null && take(/\s*,\s*(?:[+~]\d+)?/y)?.trim() === "," && take(ADDRESS) === null)
      return false;
    take(/[\s!]*/y);
    if (take(/[{}]/y) !== null) continue;
    if (take(/[sy]/y) !== null) {
      const delimiter = script.charAt(at);
      if (/[\s\\\w]/.test(delimiter) || delimiter === "") return false;
      at += 1;
      for (let part = 0; part < 2; part += 1) {
        while (at < script.length && script.charAt(at) !== delimiter)
          at += script.charAt(at) === "\\" ? 2 : 1;
        if (at >= script.length) return false;
        at += 1;
      }
      take(FLAGS);
    } else if (take(COMMAND) === null) return false;
    if (at < script.length && !/[\s;}]/.test(script.charAt(at))) return false;
  }
  return true;
}

/** `>` is a comparison where nothing is printed before it; a pipe, `getline` and `system` start programs or open files. */
export const isHarmlessAwk = (script: string): boolean =>
  !/\||getline|system|@|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|\\\n/.test(script.replaceAll("||", "")) &&
  !/print.*>/s.test(script);

/** Modules and data are read from files; the environment may hold secrets. */
export const isHarmlessJq = (script: string): boolean =>
  !/\b(?:import|include|env|ENV|modulemeta|input_filename|get_search_list)\b/.test(script);
