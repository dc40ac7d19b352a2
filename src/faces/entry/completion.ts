/**
 * `ekiden completion`: a script that completes commands and options, made from the table of commands. Where a value is typed that only the project
 * knows, the script asks the program for it: `ekiden completion values -- WORDS…`.
 */
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { Run } from "../commands/entry.ts";
import { type Entry, nameOf } from "../commands/entry.ts";
import { COMMON_OPTIONS, HOSTS, type OptionRow, TEAM_OPTIONS } from "../commands/options.ts";
import { COMMANDS } from "./all.ts";
import { OF_COMMANDS, OF_OPTIONS, valued, valuesFor } from "./completion-values.ts";

type Word = { readonly word: string; readonly about: string };

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const run: Run = async (call, [shell = "", ...words]) => {
  if (shell === "values") {
    const values = await valuesFor(call, words);
    return void call.out.write(values.map(({ value, about }) => `${value}\t${about}\n`).join(""));
  }
  if (!Object.hasOwn(SHELLS, shell))
    throw badInput(
      `no completion for ${quote(shell)}. There is one for bash, zsh and fish, such as: source <(ekiden completion bash)`,
    );
  call.out.write(SHELLS[shell]?.() ?? "");
};

const wordOf = ([flags, about]: OptionRow): Word => ({ word: /--[\w-]+/.exec(flags)?.[0] ?? flags, about });
const SHARED = [...COMMON_OPTIONS.map(wordOf), { word: "--help", about: "help on the command" }];
const TEAM = TEAM_OPTIONS.map(wordOf);

/** The options of a command, without those that every command has. */
const optionsOf = (entry: Entry): Word[] => [
  ...(entry.options ?? []).map(wordOf),
  ...(HOSTS.has(nameOf(entry)) ? TEAM : []),
];

const commands = (): Word[] => [
  ...COMMANDS.map((entry) => ({ word: nameOf(entry), about: entry.about })),
  { word: "help", about: "help on a command" },
];

const joined = (words: readonly Word[]): string => words.map(({ word }) => word).join(" ");

/** The words that a value follows: none of them is a command. */
const VALUED = [...new Set([...valued(COMMON_OPTIONS), ...valued(TEAM_OPTIONS)])];
const ASKED = Object.keys(OF_OPTIONS);
const ASKED_OF = Object.keys(OF_COMMANDS);

function bash(): string {
  const cases = COMMANDS.map(
    (entry) => `    ${nameOf(entry)}) words="${joined([...optionsOf(entry), ...SHARED])}" ;;`,
  );
  return `# Add to ~/.bashrc: source <(ekiden completion bash)
_ekiden() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" skip="" asks="" word words
  [[ "$current" == "=" ]] && current=""
  [[ "$before" == "=" ]] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n "$skip" ]]; then [[ "$word" == "=" ]] || skip=""; continue; fi
    case "$word" in ${VALUED.join("|")}) skip=1 ;; -*) ;; *) command="$word"; break ;; esac
  done
  case "$before" in ${ASKED.join("|")}) asks=1 ;; esac
  case "$current" in -*) ;; *) case "$command" in ${ASKED_OF.join("|")}) asks=1 ;; esac ;; esac
  COMPREPLY=()
  if [[ -n "$asks" ]]; then
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$(command ekiden completion values -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$current"))
    return
  fi
  case "$command" in
${cases.join("\n")}
    help) words="${joined(commands())}" ;;
    *) words="${joined([...commands(), ...SHARED, ...TEAM])}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _ekiden ekiden
`;
}

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(): string {
  const described = (words: readonly Word[]): string =>
    words.map(({ word, about }) => single(`${word}:${about.replaceAll(":", "\\:")}`)).join(" ");
  const cases = COMMANDS.map(
    (entry) => `    ${nameOf(entry)}) options=(${described([...optionsOf(entry), ...SHARED])}) ;;`,
  );
  return `#compdef ekiden
# Add to ~/.zshrc, after compinit: source <(ekiden completion zsh)
_ekiden() {
  local -a commands options
  commands=(${described(commands())})
  options=(${described([...SHARED, ...TEAM])})
  local command="" skip="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "$word" in ${VALUED.join("|")}) skip=1 ;; -*) ;; *) command="$word"; break ;; esac
  done
  local asks=""
  case "\${words[CURRENT-1]}" in ${ASKED.join("|")}) asks=1 ;; esac
  [[ "$PREFIX" == -* ]] || case "$command" in ${ASKED_OF.join("|")}) asks=1 ;; esac
  if [[ "$PREFIX" == (${ASKED.join("|")})=* ]]; then
    asks=1
    compset -P '*='
  fi
  if [[ -n "$asks" ]]; then
    local -a values
    values=("\${(@f)$(command ekiden completion values -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
    values=("\${(@)values//:/\\:}")
    values=("\${(@)\${(@)values/$'\\t'/:}:#}")
    [[ \${#values} -gt 0 ]] && _describe -V value values || _files
    return
  fi
  case "$command" in
${cases.join("\n")}
    help|'') _describe command commands ;;
  esac
  if [[ "$PREFIX" == -* ]]; then _describe option options; elif [[ -n "$command" ]]; then _files; fi
}
compdef _ekiden ekiden
`;
}

function fish(): string {
  const line = (condition: string, { word, about }: Word): string => {
    const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
    return `complete -c ekiden -n ${single(condition)} ${what} -d ${single(about)}`;
  };
  const names = joined(commands());
  const seen = (words: readonly string[]): string => words.join(" ");
  return `${[
    "# Save as ~/.config/fish/completions/ekiden.fish: ekiden completion fish > ~/.config/fish/completions/ekiden.fish",
    "function __ekiden_asks",
    "  set -l words (commandline -opc)",
    "  set -l current (commandline -ct)",
    "  string match -q -- '-*' \"$current\"; and return 1",
    "  set -l skip ''",
    "  for word in $words[2..-1]",
    '    if test -n "$skip"',
    "      set skip ''",
    `    else if contains -- "$word" ${seen(VALUED)}`,
    "      set skip 1",
    "    else if not string match -q -- '-*' \"$word\"",
    `      contains -- "$word" ${seen(ASKED_OF)}`,
    "      return",
    "    end",
    "  end",
    "  return 1",
    "end",
    "function __ekiden_values",
    "  command ekiden completion values -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null",
    "end",
    "complete -c ekiden -f -n __ekiden_asks -a '(__ekiden_values)'",
    // Behind "--model=" fish looks for values of the option alone.
    ...ASKED.map((option) => `complete -c ekiden -l ${option.slice(2)} -x -a '(__ekiden_values)'`),
    ...commands().map((word) =>
      line(`not __fish_seen_subcommand_from ${names}; and not __ekiden_asks`, word),
    ),
    ...COMMANDS.flatMap((entry) =>
      optionsOf(entry).map((word) => line(`__fish_seen_subcommand_from ${nameOf(entry)}`, word)),
    ),
    ...TEAM.map((word) => line(`not __fish_seen_subcommand_from ${names}`, word)),
    ...SHARED.map((word) => line("true", word)),
  ].join("\n")}\n`;
}
