/** `ekiden completion`: a script that completes commands and options, made from the table of commands. */
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { Run } from "./entry.ts";
import { COMMON_OPTIONS, HOSTS, type OptionRow, TEAM_OPTIONS } from "./options.ts";
import { COMMANDS, type Entry, nameOf } from "./table.ts";

type Word = { readonly word: string; readonly about: string };

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const run: Run = async (call, [shell = ""]) => {
  if (!Object.hasOwn(SHELLS, shell))
    throw new EkidenError(
      "bad_input",
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

function bash(): string {
  const cases = COMMANDS.map(
    (entry) => `    ${nameOf(entry)}) words="${joined([...optionsOf(entry), ...SHARED])}" ;;`,
  );
  return `# Add to ~/.bashrc: source <(ekiden completion bash)
_ekiden() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
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
  local command="\${\${words[2,CURRENT-1]:#-*}[1]}"
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
  return `${[
    "# Save as ~/.config/fish/completions/ekiden.fish: ekiden completion fish > ~/.config/fish/completions/ekiden.fish",
    ...commands().map((word) => line(`not __fish_seen_subcommand_from ${names}`, word)),
    ...COMMANDS.flatMap((entry) =>
      optionsOf(entry).map((word) => line(`__fish_seen_subcommand_from ${nameOf(entry)}`, word)),
    ),
    ...TEAM.map((word) => line(`not __fish_seen_subcommand_from ${names}`, word)),
    ...SHARED.map((word) => line("true", word)),
  ].join("\n")}\n`;
}
