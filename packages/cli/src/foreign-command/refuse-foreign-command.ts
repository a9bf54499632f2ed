import { readSmallFile, PortolanError } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import { findClientCommand, findRunner, type ForeignWords, isForeign } from './foreign-words.ts';
import { isInstallLink, readInstallLink } from './install-link.ts';
import { readClientCommand } from './read-client-command.ts';
import { secretName } from './secret-values.ts';
import { joinForShell, splitForShell } from './shell-words.ts';
import { adviseCommand, translateCommand } from './translate-command.ts';
import { findForeignServers, type ForeignServer } from './translate-json.ts';
import type { Translation } from './translation.ts';
import { unwrapLine } from './unwrap-line.ts';

const EXPECTED = 'expected a server of the registry, an image, SCHEME://PACKAGE or a URL';

/**
 * Creates the error for a command line of another program, or the configuration of an MCP client, after
 * `portolan run`. `actual` says which of the two.
 */
function foreignCommand(actual: string, lines: readonly string[], notes: readonly string[]): PortolanError {
  const text = lines.map((line) => `\n  ${line}`).join('');
  const more = notes.map((note) => `\n${note}`).join('');
  return new PortolanError('ERR_FOREIGN_COMMAND', 'mistake', `found ${actual}; ${EXPECTED}`, {
    hint: `run it with Portolan:${text}${more}`,
  });
}

/**
 * Creates the error for a command line of another program without a package or an image. `advice` says what to do for this program.
 */
function foreignProgram(program: string, advice?: string): PortolanError {
  return new PortolanError(
    'ERR_FOREIGN_COMMAND',
    'mistake',
    `found ${program}, which has neither a package of an index nor an image; ${EXPECTED}`,
    {
      hint:
        advice ??
        'name the package or image of the server, such as npx://PACKAGE, uvx://PACKAGE or ghcr.io/acme/server:1',
    },
  );
}

/** Maximum size of a client's file, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Maximum number of characters of a command line. */
const MAX_LINE_LENGTH = 10_000;

interface Typed {
  readonly command: string;
  readonly own: readonly string[];
}

/** Throws ERR_FOREIGN_COMMAND with the equivalent Portolan command for a command line of another program. */
export function refuseForeignWords({ own, words: line }: ForeignWords, command: string): never {
  const { words } = unwrapLine(line);
  const client = findClientCommand(words);
  const shown = client ?? words.slice(0, findRunner(words)?.length ?? 1);
  const what = `a command line of \`${shown.join(' ')}\``;
  const servers = client === undefined ? undefined : readClientCommand(words);
  if (servers !== undefined) throw foreignServers(servers, what, { command, own });
  const translation = client === undefined ? translateCommand(line) : undefined;
  if (translation === undefined) throw foreignProgram(what, adviseCommand(words));
  throw foreignCommand(what, linesOf(translation, { command, own }), translation.notes);
}

/**
 * Throws ERR_FOREIGN_COMMAND for the configuration of a client, or a command line; returns for other text.
 */
export async function refuseForeignText(text: string, place: string, typed: Typed): Promise<void> {
  const document = await parseForeignText(text);
  const servers = findForeignServers(document);
  if (servers !== undefined) throw foreignServers(servers, `${describeServers(servers)} ${place}`, typed);
  const line = document === undefined && text.length < MAX_LINE_LENGTH ? splitForShell(text.trim()) : [];
  if (isForeign(unwrapLine(line).words)) refuseForeignWords({ own: typed.own, words: line }, typed.command);
}

function foreignServers(servers: readonly ForeignServer[], what: string, typed: Typed): Error {
  const lines: string[] = [];
  const notes: string[] = [];
  separateSecrets(servers);
  for (const { name, translation, words } of servers) {
    if (translation === undefined) {
      const advice = adviseCommand(words);
      notes.push(
        `${name ?? 'the server'} starts the program ${words[0] ?? ''}, which is neither a package nor an image` +
          (advice === undefined ? '.' : `: ${advice}.`),
      );
      continue;
    }
    lines.push(...linesOf(translation, typed));
    notes.push(...translation.notes);
  }
  return lines.length === 0
    ? foreignProgram(what, notes.length === 0 ? undefined : [...new Set(notes)].join('\n'))
    : foreignCommand(what, [...new Set(lines)], [...new Set(notes)]);
}

/** Gives secrets of one name and different values the names of their servers. */
function separateSecrets(servers: readonly ForeignServer[]): void {
  const values = new Map<string, Set<string | undefined>>();
  for (const { translation } of servers)
    for (const [name, value] of translation?.secrets ?? [])
      values.set(name, (values.get(name) ?? new Set()).add(value));
  for (const { name, translation } of servers)
    for (const secret of translation?.secrets.keys() ?? [])
      if (name !== undefined && (values.get(secret)?.size ?? 0) > 1)
        translation?.renameSecret(secret, `${secretName(name)}_${secret}`);
}

function describeServers(servers: readonly ForeignServer[]): string {
  const names = servers.flatMap(({ name }) => name ?? []).slice(0, 5);
  return names.length === 0
    ? 'the configuration of a client'
    : `the configuration of a client (${names.join(', ')})`;
}

/** Throws ERR_FOREIGN_COMMAND for an argument that is the configuration of a client, or a file with it. */
export async function refuseForeignTarget(target: string, typed: Typed, stdin: Readable): Promise<void> {
  if (isInstallLink(target)) {
    const servers = findForeignServers(readInstallLink(target));
    if (servers !== undefined) throw foreignServers(servers, 'a link that installs a server', typed);
    return;
  }
  if (/^\s*[{"[]/.test(target)) {
    await refuseForeignText(target, 'as argument', typed);
    throw foreignProgram('the text of a file as argument');
  }
  const text = await readTarget(target, stdin);
  if (text !== undefined)
    await refuseForeignText(text, target === '-' ? 'on standard input' : `in ${target}`, typed);
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
  try {
    return await readSmallFile(target, { maxBytes: MAX_FILE_BYTES });
  } catch {
    return undefined; // not a readable file, so the argument is something else
  }
}

function linesOf(translation: Translation, { command, own }: Typed): readonly string[] {
  const before = translation.takeOwn(own);
  return [...translation.linesBefore, joinForShell(['portolan', command, ...before, ...translation.words])];
}

/**
 * Parses the configuration of a client: JSON, JSON with comments and trailing commas, JSON members without
 * braces around them, TOML and YAML. Returns undefined for other text.
 */
async function parseForeignText(text: string): Promise<unknown> {
  const json = parseForeignJson(text);
  if (json !== undefined) return json;
  if (/^\s*\[{1,2}[\w.'" -]+\]{1,2}\s*(?:#.*)?$/m.test(text)) {
    const { parse } = await import('@decimalturn/toml-patch');
    return attempt(() => parse(text));
  }
  if (!/^\s*[\w.-]+:(?:\s|$)/.test(text)) return undefined;
  const { parse } = await import('yaml');
  return attempt(() => parse(text));
}

/**
 * Parses JSON with comments and trailing commas, which some clients accept. Returns undefined for other text.
 */
function parseForeignJson(text: string): unknown {
  for (const form of [text, `{${text.trim().replace(/,$/, '')}}`, withoutComments(text)]) {
    const parsed = attempt(() => JSON.parse(form));
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function withoutComments(text: string): string {
  return text
    .replaceAll(
      /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g,
      (_whole, quoted: string | undefined) => quoted ?? '',
    )
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_whole, quoted: string | undefined) => quoted ?? '');
}

function attempt(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined; // not this format; the caller tries others
  }
}
