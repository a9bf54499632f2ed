import { nearest } from '@portolan/plugin-api';
import { unknownCommand } from './command-line-errors.ts';

export interface CommandMatch {
  readonly id: string;
  readonly rest: readonly string[];
}

export interface NamedCommand {
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** False if the command accepts words that `args` does not declare. */
  readonly strict?: boolean | undefined;
}

/**
 * Aliases of commands, familiar from other programs. `ls` also works after a topic that has the command
 * `list`.
 */
const ALIASES: Readonly<Record<string, string>> = { ls: 'list', ps: 'list' };

/**
 * Usual words of other programs, with the words of commands that do the same. An unknown command suggests the first
 * that its topic has.
 */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    add: ['create', 'install', 'set', 'register', 'run'],
    create: ['set', 'register', 'run'],
    delete: ['rm', 'remove', 'unset', 'uninstall'],
    describe: ['show', 'get', 'info', 'inspect'],
    edit: ['change', 'set'],
    exec: ['call'],
    get: ['show', 'info', 'inspect'],
    info: ['show', 'get', 'inspect'],
    install: ['run', 'setup', 'register'],
    invoke: ['call'],
    kill: ['stop'],
    log: ['logs'],
    new: ['create', 'init'],
    remove: ['rm', 'delete', 'unset', 'uninstall'],
    rm: ['remove', 'delete', 'unset', 'uninstall'],
    show: ['get', 'info', 'inspect'],
    uninstall: ['rm', 'remove'],
    unset: ['delete', 'remove', 'rm'],
    upgrade: ['update'],
    validate: ['check', 'test'],
    verify: ['check', 'validate', 'test'],
  }),
);

/** Topics whose own command lists items, with the command that `list` and `ls` after the topic run. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['plugins:list', 'plugins'],
  ['plugins:ls', 'plugins'],
]);

/**
 * Returns the command that the first words name (`serve`, `config check`); the longest name wins. Returns
 * undefined, which shows the help, without a word before the first flag, or for the first part of a command
 * (`config`).
 *
 * Otherwise returns the command that `offer` returns, or throws ERR_UNKNOWN_COMMAND with the nearest command.
 * The error names no words after the first unknown one, because they may be arguments.
 */
export async function findCommand(
  argv: readonly string[],
  commands: readonly NamedCommand[],
  offer?: (unknown: CommandMatch) => Promise<CommandMatch | undefined>,
): Promise<CommandMatch | undefined> {
  const ids = commands.map(({ id }) => id);
  const firstFlag = argv.findIndex((word) => word.startsWith('-'));
  const inputs = firstFlag < 0 ? argv : argv.slice(0, firstFlag);
  const flags = argv.slice(inputs.length);
  const match = longestOf(inputs, ids);
  if (match !== undefined && (match.length === inputs.length || takesWords(match, inputs, commands))) {
    return { id: match.id, rest: argv.slice(match.length) };
  }
  const [first = '', ...others] = inputs;
  const words = inputs.length === 0 ? [] : [...first.split(':'), ...others];
  const names = ids.map((id) => id.split(':'));
  const leads = (some: readonly string[]): boolean =>
    names.some((name) => name.length > some.length && some.every((word, index) => name[index] === word));
  if (leads(words)) return undefined;
  const known = words.findIndex((_, index) => !leads(words.slice(0, index + 1)));
  const typed = words.slice(0, known + 1);
  const before = typed.slice(0, -1);
  const next = names
    .filter((name) => before.every((word, index) => name[index] === word))
    .map((name) => name[known] ?? '');
  const last = typed.at(-1) ?? '';
  const near =
    SYNONYMS.get(last)?.find((synonym) => next.includes(synonym)) ?? nearest(last, [...new Set(next)]);
  const rest = words.slice(typed.length);
  // For `mcp list tools`, suggest `mcp tools`.
  const own = rest.find((word) => next.includes(word));
  const hint = near === undefined ? own && [...before, own].join(' ') : meant([...before, near], rest, ids);
  const siblings = before.length === 0 ? [] : [...new Set(next)].filter((name) => name !== '').toSorted();
  const count = near === undefined ? typed.length : (hint?.split(' ').length ?? 0);
  const unknown = { id: words.slice(0, count).join(':'), rest: [...words, ...flags].slice(count) };
  const offered = await offer?.(unknown);
  if (offered !== undefined) return offered;
  throw unknownCommand(first.includes(':') ? first : typed.join(' '), hint, {
    topic: before.join(' '),
    commands: siblings,
  });
}

/**
 * Returns whether a command accepts the words after its name. An alias of a list counts as accepting them,
 * because the list reports unexpected words itself.
 */
function takesWords(
  { id, length }: { readonly id: string; readonly length: number },
  values: readonly string[],
  commands: readonly NamedCommand[],
): boolean {
  if (LISTS.has(values.slice(0, length).join(':'))) return true;
  const command = commands.find((one) => one.id === id);
  const namesSome = command !== undefined && Object.keys(command.args).length > 0;
  return namesSome || command?.strict === false || !commands.some((one) => one.id.startsWith(`${id}:`));
}

function longestOf(
  words: readonly string[],
  ids: readonly string[],
): { readonly id: string; readonly length: number } | undefined {
  for (let length = words.length; length > 0; length -= 1) {
    const typed = words.slice(0, length).join(':');
    if (ids.includes(typed)) return { id: typed, length };
    const lists = LISTS.get(typed);
    if (lists !== undefined && ids.includes(lists)) return { id: lists, length };
    const [last = '', ...before] = words.slice(0, length).toReversed();
    const alias = Object.hasOwn(ALIASES, last) && (last === 'ls' || length === 1) ? ALIASES[last] : undefined;
    const id = [...before.toReversed(), alias].join(':');
    if (alias !== undefined && ids.includes(id)) return { id, length };
  }
  return undefined;
}

/** Returns the command to suggest, including a subcommand that the user typed. */
function meant(near: readonly string[], rest: readonly string[], ids: readonly string[]): string {
  return longestOf([...near, ...rest], ids)?.id.replaceAll(':', ' ') ?? near.join(' ');
}
