import { nearest } from '@portolan/plugin-api';
import { unknownCommand } from './command-line-errors.ts';

export interface FoundCommand {
  /** As the parser underneath names it: `config:check`. */
  readonly id: string;
  /** The words after the command. */
  readonly rest: readonly string[];
}

/**
 * The command that the first words name (`serve`, `config check`), the longest
 * one first. Undefined when there are no words before the first flag, or when
 * they are the first part of a command (`config`): that asks for help. Throws
 * ERR_UNKNOWN_COMMAND, with the nearest command, for anything else.
 */
export async function findCommand(
  argv: readonly string[],
  ids: readonly string[],
): Promise<FoundCommand | undefined> {
  const firstFlag = argv.findIndex((word) => word.startsWith('-'));
  const words = firstFlag < 0 ? argv : argv.slice(0, firstFlag);
  for (let length = words.length; length > 0; length -= 1) {
    const id = words.slice(0, length).join(':');
    if (ids.includes(id)) return { id, rest: argv.slice(length) };
  }
  const typed = words.join(' ');
  const names = ids.map((id) => id.replaceAll(':', ' '));
  if (typed === '' || names.some((name) => name.startsWith(`${typed} `))) return undefined;
  throw unknownCommand(typed, nearest(typed, names));
}
