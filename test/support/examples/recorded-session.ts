import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import type { Finished } from '../command-line.ts';
import { splitWords } from './read-steps.ts';

const DOCS = path.resolve(import.meta.dirname, '../../../docs');
/** Placeholder for the rest of a line or, alone on a line, for any number of lines. */
const ANYTHING = '…';

/** A command that a guide shows on a terminal, with its output. */
export interface RecordedCommand {
  readonly command: string;
  readonly output: string;
}

/**
 * Returns the commands of a guide, in order: lines after `$ ` in `console` blocks. With a heading, returns those
 * below it.
 */
export async function readSession(guide: string, heading?: string): Promise<readonly RecordedCommand[]> {
  const text = await readFile(path.join(DOCS, guide), 'utf8');
  const [, after = ''] = heading === undefined ? ['', text] : text.split(`\n## ${heading}\n`);
  const [section = ''] = heading === undefined ? [after] : after.split(/\n## /);
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const commands = blocks.flatMap((block) => block.split(/^\$ /m).slice(1));
  if (commands.length === 0)
    throw new Error(`no session is shown below "${heading ?? 'the title'}" of ${guide}`);
  return commands.map((lines) => {
    const [command = '', ...output] = lines.trimEnd().split('\n');
    return { command, output: output.join('\n') };
  });
}

/** Returns the arguments after the program's name, and the input that `echo` pipes into it. */
export function runOf({ command }: RecordedCommand): {
  readonly args: readonly string[];
  readonly stdin: string | undefined;
} {
  const [, piped, rest = ''] = /^(?:echo '([^']*)' \| )?(.*)$/.exec(command) ?? [];
  const [program, ...args] = splitWords(rest);
  if (program !== 'portolan') throw new Error(`not a command of portolan: ${command}`);
  return { args, stdin: piped === undefined ? undefined : `${piped}\n` };
}

/** Returns the words after the program's name. */
export function wordsOf(recorded: RecordedCommand): readonly string[] {
  return runOf(recorded).args;
}

/** Expects the output that a guide shows: standard output first, then standard error. */
export function expectRecorded({ command, output }: RecordedCommand, finished: Finished): void {
  const printed = `${finished.stdout}${finished.stderr}`.trimEnd();
  const lines = output.split('\n').map((line) => {
    if (line === ANYTHING) return '(?:.*\\n)*?';
    const pattern = line.split(ANYTHING).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return `${pattern.join('.*')} *\\n`;
  });
  expect(`${printed}\n`, `$ ${command}`).to.match(new RegExp(`^${lines.join('')}$`));
}
