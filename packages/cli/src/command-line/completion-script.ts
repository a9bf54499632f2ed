export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

export interface CompletedCommand {
  /** `logs prune` */
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly string[];
}

/** Commands whose arguments are names of workloads. */
const TAKE_WORKLOADS =
  'status,logs,stop,start,restart,rm,export,inspect,mcp tools,mcp prompts,mcp resources,mcp call,mcp read'.split(
    ',',
  );

/** The script that a shell reads to complete commands, their flags and the names of workloads. */
export function completionScript(shell: CompletionShell, commands: readonly CompletedCommand[]): string {
  const sorted = commands.toSorted((left, right) => (left.words < right.words ? -1 : 1));
  return SCRIPTS[shell](sorted);
}

const SCRIPTS: Readonly<Record<CompletionShell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  // zsh runs what bash completes with, when it is told to.
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

/** The first words after each beginning of a command: `''` → `run`, `logs` …; `logs` → `prune`. */
function nextWords(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, Set<string>>();
  for (const { words } of commands) {
    const parts = words.split(' ');
    for (const [index, part] of parts.entries()) {
      const before = parts.slice(0, index).join(' ');
      next.set(before, (next.get(before) ?? new Set()).add(part));
    }
  }
  return new Map([...next].map(([before, after]) => [before, [...after].toSorted()]));
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const next = [...nextWords(commands)].map(
    ([before, after]) => `    '${before}') words='${after.join(' ')}' ;;`,
  );
  const flags = commands.map((command) => `    '${command.words}') flags='${command.flags.join(' ')}' ;;`);
  return `_portolan() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed='' words='' flags='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && return
    [[ $word == -* ]] && continue
    typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${next.join('\n')}
  esac
  local command="$typed"
  while [[ -n $command ]]; do
    case "$command" in
${flags.join('\n')}
    esac
    [[ -n $flags || $command != *' '* ]] && break
    command="\${command% *}"
  done
  if [[ $current == -* ]]; then
    words="$flags"
  else
    case "$typed " in
    ${TAKE_WORKLOADS.map((command) => `'${command} '*`).join('|')}) words="$words $(portolan list --all 2>/dev/null | awk 'NR > 1 { print $1 }')" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default 2>/dev/null
  return 0
}
complete -F _portolan portolan
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const words = [...nextWords(commands)].flatMap(([before, after]) =>
    after.map((word) => {
      const about = commands.find((command) => command.words === `${before} ${word}`.trim())?.summary ?? '';
      const condition = before === '' ? '__fish_use_subcommand' : inCommand(before);
      return `complete -c portolan -n ${condition} -a ${word} -d ${quoted(about)}`;
    }),
  );
  const flags = commands.flatMap((command) =>
    command.flags.map((flag) => `complete -c portolan -n ${inCommand(command.words)} -l ${flag.slice(2)}`),
  );
  const workloads = TAKE_WORKLOADS.map(
    (command) =>
      `complete -c portolan -n ${inCommand(command)} -a "(portolan list --all 2>/dev/null | awk 'NR > 1 { print \\$1 }')"`,
  );
  return `${[...words, ...flags, ...workloads].join('\n')}\n`;
}

function inCommand(words: string): string {
  const conditions = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  return quoted(conditions.join('; and '));
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
