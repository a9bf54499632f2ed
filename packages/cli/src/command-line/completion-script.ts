export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** What a flag or an argument may be given: one of some words, what `portolan` knows, a file, or what cannot be known. */
export type CompletedValue = readonly string[] | keyof typeof NAMES | 'file' | 'nothing';

export interface CompletedFlag {
  /** `--format` */
  readonly name: string;
  /** `-o` */
  readonly char?: string;
  /** Left out for a flag without a value. */
  readonly value?: CompletedValue;
}

export interface CompletedCommand {
  /** `logs prune` */
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** Of the first argument; left out, it is a file, or there is none. */
  readonly argument?: readonly string[];
}

/** What prints names, one on each line. Nothing of it asks whoever types, or takes long. */
const NAMES = {
  workload: `portolan list --all 2>/dev/null | awk 'NR > 1 { print $1 }'`,
  group: `portolan group list 2>/dev/null | awk 'NR > 1 { print $1 }'`,
  source: 'portolan completion names source </dev/null 2>/dev/null',
  registry: 'portolan completion names registry </dev/null 2>/dev/null',
  plugin: `portolan plugins 2>/dev/null | awk '$2 ~ /^[0-9]/ { print $1 }'`,
} as const;

/** Commands whose arguments are such names. */
const TAKE: readonly (readonly [what: keyof typeof NAMES, commands: readonly string[]])[] = [
  [
    'workload',
    'status,logs,stop,start,restart,update,login,logout,rm,export,inspect,mcp tools,mcp prompts,mcp resources,mcp call,mcp read,proxy stdio'.split(
      ',',
    ),
  ],
  ['group', ['group rm']],
  ['source', ['sources show', 'sources sync', 'sources change', 'sources remove']],
  ['registry', ['registries show', 'registries change', 'registries remove']],
  ['plugin', ['plugins inspect', 'plugins uninstall', 'plugins remove', 'plugins unlink']],
];

/** The script that a shell reads to complete commands, their flags and the values of these, and names: of workloads, and of what a server has. */
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
  for (const { words, argument = [] } of commands) {
    const parts = words.split(' ');
    for (const [index, part] of parts.entries()) {
      const before = parts.slice(0, index).join(' ');
      next.set(before, (next.get(before) ?? new Set()).add(part));
    }
    if (argument.length > 0) next.set(words, new Set([...(next.get(words) ?? []), ...argument]));
  }
  return new Map([...next].map(([before, after]) => [before, [...after].toSorted()]));
}

/** What bash does where the word before is one of these flags. */
function bashValues(commands: readonly CompletedCommand[]): string {
  const valued = commands.flatMap(({ words, flags }) =>
    flags.flatMap(({ name, char, value }) =>
      value === undefined
        ? []
        : [
            {
              value,
              patterns: [name, ...(char === undefined ? [] : [char])].map((flag) => `'${words} ${flag}'`),
            },
          ],
    ),
  );
  const branches = new Map<string, string[]>();
  for (const { value, patterns } of valued) {
    const does = bashValue(value);
    branches.set(does, [...(branches.get(does) ?? []), ...patterns]);
  }
  return [...branches].map(([does, patterns]) => `    ${patterns.join('|')}) ${does} ;;`).join('\n');
}

function bashValue(value: CompletedValue): string {
  switch (value) {
    case 'workload':
    case 'group':
    case 'source':
    case 'registry':
    case 'plugin':
      return `values="$(${NAMES[value]})"`;
    case 'file':
      return 'compopt -o default 2>/dev/null; return 0';
    case 'nothing':
      return 'return 0';
    default:
      return `values='${value.join(' ')}'`;
  }
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const next = [...nextWords(commands)].map(
    ([before, after]) => `    '${before}') words='${after.join(' ')}' ;;`,
  );
  const flags = commands.map(
    (command) => `    '${command.words}') flags='${command.flags.map(({ name }) => name).join(' ')}' ;;`,
  );
  return `_portolan() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" typed='' words='' flags='' values='' word
  [[ $current == = ]] && current=''
  [[ $before == = ]] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && return
    [[ $word == -* || $word == = ]] && continue
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
  if [[ $before == -* ]]; then
    case "$command $before" in
${bashValues(commands)}
    esac
  fi
  if [[ -n $values ]]; then
    words="$values"
  elif [[ $current == -* ]]; then
    words="$flags"
  else
    case "$typed " in
${TAKE.map(([what, taking]) => `    ${taking.map((command) => `'${command} '*`).join('|')}) words="$words $(${NAMES[what]})" ;;`).join('\n')}
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
    command.flags.map(({ name, char, value }) => {
      const short = char === undefined ? '' : ` -s ${char.slice(1)}`;
      return `complete -c portolan -n ${inCommand(command.words)} -l ${name.slice(2)}${short}${fishValue(value)}`;
    }),
  );
  const names = TAKE.flatMap(([what, taking]) =>
    taking.map((command) => `complete -c portolan -n ${inCommand(command)} -a ${quoted(`(${NAMES[what]})`)}`),
  );
  return `${[...words, ...flags, ...names].join('\n')}\n`;
}

function fishValue(value: CompletedValue | undefined): string {
  switch (value) {
    case undefined:
      return '';
    case 'workload':
    case 'group':
    case 'source':
    case 'registry':
    case 'plugin':
      return ` -x -a ${quoted(`(${NAMES[value]})`)}`;
    case 'file':
      return ' -r -F';
    case 'nothing':
      return ' -x';
    default:
      return ` -x -a ${quoted(value.join(' '))}`;
  }
}

function inCommand(words: string): string {
  const conditions = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  return quoted(conditions.join('; and '));
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
