import { readSmallFile } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import { foreignCommand, foreignProgram } from './foreign-errors.ts';
import { type ForeignWords, findRunner } from './foreign-words.ts';
import { joinForShell } from './shell-words.ts';
import { translateCommand } from './translate-command.ts';
import { findForeignServers, type ForeignServer, parseForeignJson } from './translate-json.ts';
import type { Translation } from './translation.ts';

/** Maximum size of a file of a client, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Command of Portolan that somebody typed, and flags of it that they typed before the foreign words. */
interface Typed {
  /** `run` or `plan`. */
  readonly command: string;
  readonly own: readonly string[];
}

/** Throws ERR_FOREIGN_COMMAND with the command of Portolan for a command line of another program. */
export function refuseForeignWords({ own, words }: ForeignWords, command: string): never {
  const translation = translateCommand(words);
  const { length = 1 } = findRunner(words) ?? {};
  const what = `a command line of \`${words.slice(0, length).join(' ')}\``;
  if (translation === undefined) throw foreignProgram(what);
  const lines = linesOf(translation, { command, own });
  throw foreignCommand(what, lines, translation.notes);
}

/** Throws ERR_FOREIGN_COMMAND for the JSON of a client with servers in it; returns for another text. */
export function refuseForeignJson(text: string, place: string, typed: Typed): void {
  const servers = findForeignServers(parseForeignJson(text));
  if (servers === undefined) return;
  const lines: string[] = [];
  const notes: string[] = [];
  for (const { name, translation, program } of servers) {
    if (translation === undefined) {
      notes.push(
        `${name ?? 'the server'} starts the program ${program ?? ''}, which is no package and no image.`,
      );
      continue;
    }
    lines.push(...linesOf(translation, typed));
    notes.push(...translation.notes);
  }
  const what = `${describeServers(servers)} ${place}`;
  if (lines.length === 0) throw foreignProgram(what);
  throw foreignCommand(what, [...new Set(lines)], [...new Set(notes)]);
}

function describeServers(servers: readonly ForeignServer[]): string {
  const names = servers.flatMap(({ name }) => name ?? []).slice(0, 5);
  return names.length === 0
    ? 'the configuration of a client'
    : `the configuration of a client (${names.join(', ')})`;
}

/** Throws ERR_FOREIGN_COMMAND where the argument is JSON of a client, or names a file with it. */
export async function refuseForeignTarget(target: string, typed: Typed, stdin: Readable): Promise<void> {
  if (/^\s*[{"]/.test(target)) {
    refuseForeignJson(target, 'as argument', typed);
    throw foreignProgram('JSON as argument');
  }
  const text = await readTarget(target, stdin);
  if (text !== undefined)
    refuseForeignJson(text, target === '-' ? 'on standard input' : `in ${target}`, typed);
}

async function readTarget(
  target: string,
  stdin: Readable & { readonly isTTY?: boolean },
): Promise<string | undefined> {
  if (target === '-') {
    if (stdin.isTTY === true) return undefined;
    let text = '';
    for await (const chunk of stdin) {
      text += String(chunk);
      if (text.length > MAX_FILE_BYTES) return undefined;
    }
    return text;
  }
  if (!/\.jsonc?$/i.test(target)) return undefined;
  try {
    return await readSmallFile(target, { mostBytes: MAX_FILE_BYTES });
  } catch {
    return undefined; // It is no file that can be read, so the argument means something else.
  }
}

function linesOf(translation: Translation, { command, own }: Typed): readonly string[] {
  const before = translation.takeOwn(own);
  return [
    ...translation.secrets.map((name) => `portolan secret set ${name}`),
    joinForShell(['portolan', command, ...before, ...translation.words]),
  ];
}
