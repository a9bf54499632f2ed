import { nearest } from '@portolan/plugin-api';
import { unknownCommand } from './command-line-errors.ts';

export interface FoundCommand {
  /** As the parser underneath names it: `config:check`. */
  readonly id: string;
  /** The words after the command. */
  readonly rest: readonly string[];
}

/** Words that people know from elsewhere. `ls` is also understood behind a topic that has a `list`. */
const ALIASES: Readonly<Record<string, string>> = { ls: 'list', ps: 'list' };

/**
 * The command that the first words name (`serve`, `config check`), the longest
 * one first. Undefined when there are no words before the first flag, or when
 * they are the first part of a command (`config`): that asks for help. Throws
 * ERR_UNKNOWN_COMMAND, with the nearest command, for anything else: it names the
 * words up to the one that leads nowhere, and none of what may be arguments.
 */
export async function findCommand(
  argv: readonly string[],
  ids: readonly string[],
): Promise<FoundCommand | undefined> {
  const firstFlag = argv.findIndex((word) => word.startsWith('-'));
  const words = firstFlag < 0 ? argv : argv.slice(0, firstFlag);
  const found = longestOf(words, ids);
  if (found !== undefined) return { id: found.id, rest: argv.slice(found.length) };
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
  const near = nearest(typed.at(-1) ?? '', [...new Set(next)]);
  const hint = near === undefined ? undefined : meant([...before, near], words.slice(typed.length), ids);
  throw unknownCommand(typed.join(' '), hint);
}

function longestOf(
  words: readonly string[],
  ids: readonly string[],
): { readonly id: string; readonly length: number } | undefined {
  for (let length = words.length; length > 0; length -= 1) {
    const typed = words.slice(0, length).join(':');
    if (ids.includes(typed)) return { id: typed, length };
    const [last = '', ...before] = words.slice(0, length).toReversed();
    const alias = Object.hasOwn(ALIASES, last) && (last === 'ls' || length === 1) ? ALIASES[last] : undefined;
    const id = [...before.toReversed(), alias].join(':');
    if (alias !== undefined && ids.includes(id)) return { id, length };
  }
  return undefined;
}

/** With the words behind it, where these make a command of a topic. */
function meant(near: readonly string[], rest: readonly string[], ids: readonly string[]): string {
  return longestOf([...near, ...rest], ids)?.id.replaceAll(':', ' ') ?? near.join(' ');
}
