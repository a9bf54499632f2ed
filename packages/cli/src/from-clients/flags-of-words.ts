import type { RunFlags } from '@portolan/run-spec';
import { RUN_FLAG_NAMES, RUN_FLAGS } from '@portolan/run-spec';

/**
 * Returns the flags of `run` in words such as `-e NAME=VALUE`. Every flag has its value as the next word. Throws a
 * `TypeError` for a word that is no flag.
 */
export function flagsOfWords(words: readonly string[]): RunFlags {
  const flags = new Map<string, unknown>();
  for (let at = 0; at < words.length; at += 2) {
    const [word = '', value = ''] = [words[at], words[at + 1]];
    const name = RUN_FLAG_NAMES.find((one) => isFlag(word, RUN_FLAGS[one]));
    if (name === undefined) throw new TypeError(`found ${word}; expected a flag of run`);
    const { is } = RUN_FLAGS[name];
    if (is === 'texts' || is === 'list')
      flags.set(name, [...((flags.get(name) as string[] | undefined) ?? []), value]);
    else flags.set(name, is === 'integer' || is === 'number' ? Number(value) : value);
  }
  // Each value has the type of its row.
  return Object.fromEntries(flags);
}

function isFlag(word: string, row: { readonly flag: string; readonly char?: string }): boolean {
  return word === `--${row.flag}` || (row.char !== undefined && word === `-${row.char}`);
}
