import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from '@portolan/scheme-kit';
import { authorizeIndexes, indexAddressInvalid, readIndexAddress } from '@portolan/scheme-kit';
import { settingsUnreadable } from './errors.ts';

export const PUBLIC_INDEX = 'https://pypi.org/simple/';

export interface PythonIndexes {
  readonly usual: URL;
  readonly more: readonly URL[];
  /** Credentials for look-ups: those in build variables, and those in the netrc file of builds. */
  readonly authorize: IndexAuthorization;
}

/** Variables with the default index. The first non-empty one counts. */
export const USUAL_NAMES = ['UV_DEFAULT_INDEX', 'UV_INDEX_URL', 'PIP_INDEX_URL'] as const;
/** Variables with further indexes. The first non-empty one counts. */
export const MORE_NAMES = ['UV_INDEX', 'UV_EXTRA_INDEX_URL', 'PIP_EXTRA_INDEX_URL'] as const;

/**
 * Returns the indexes without credentials, by precedence: build variables, variables of uv, those of pip,
 * pip's files of the user and of the machine. Throws ERR_SETTING and ERR_INDEX_SETTINGS.
 */
export async function readPythonIndexes(options: SchemeOptions): Promise<PythonIndexes> {
  const { environment, buildVariables = [], authFiles } = options;
  const file = await readPipSettings(options);
  const valueOf = (names: readonly string[]): Named | undefined => {
    const usedNames = names.filter((name) => buildVariables.includes(name));
    const counting = usedNames.length > 0 ? usedNames : names;
    return firstOf(counting.map((name) => [name, environment[name]] as const));
  };
  const usual = valueOf(USUAL_NAMES) ??
    firstOf([['index-url of pip', file.get('index-url')]]) ?? ['the built-in index', PUBLIC_INDEX];
  const more = valueOf(MORE_NAMES) ??
    firstOf([['extra-index-url of pip', file.get('extra-index-url')]]) ?? ['', ''];
  const texts = more[1].split(/\s+/).filter((text) => text !== '');
  const pythonIndexes = [[usual[0], usual[1]] as const, ...texts.map((text) => [more[0], text] as const)]
    .filter(([name]) => buildVariables.includes(name))
    .map(([, text]) => withoutName(text));
  return {
    usual: requireAddress(usual[1], usual[0]),
    more: texts.map((text) => requireAddress(text, more[0])),
    authorize: authorizeIndexes(pythonIndexes, authFiles?.netrc),
  };
}

type Named = readonly [name: string, value: string];

function firstOf(
  settings: readonly (readonly [name: string, value: string | undefined])[],
): Named | undefined {
  for (const [name, value] of settings) if (value !== undefined && value.trim() !== '') return [name, value];
  return undefined;
}

/** Removes the optional name in uv's syntax: `acme=https://…`. */
function withoutName(text: string): string {
  return text.trim().replace(/^[A-Za-z0-9._-]+=(?=https?:)/, '');
}

function requireAddress(text: string, setting: string): URL {
  const address = readIndexAddress(withoutName(text));
  if (address === undefined) throw indexAddressInvalid(setting);
  return address;
}

/** Reads the section `global` of pip's settings; files of the user take precedence (pip, "Configuration"). */
async function readPipSettings({ environment, home }: SchemeOptions): Promise<ReadonlyMap<string, string>> {
  const named = environment['PIP_CONFIG_FILE'];
  const settings = new Map<string, string>();
  for (const file of [
    '/etc/pip.conf',
    ...userFiles(environment, home),
    ...(named === undefined ? [] : [named]),
  ]) {
    for (const [key, value] of readSection(await readOptional(file))) settings.set(key, value);
  }
  return settings;
}

function userFiles(environment: SchemeOptions['environment'], home: string): readonly string[] {
  const config = environment['XDG_CONFIG_HOME'];
  const roaming = environment['APPDATA'];
  return [
    path.join(home, '.pip', 'pip.conf'),
    path.join(home, 'Library', 'Application Support', 'pip', 'pip.conf'),
    ...(roaming === undefined ? [] : [path.join(roaming, 'pip', 'pip.ini')]),
    path.join(
      config !== undefined && path.isAbsolute(config) ? config : path.join(home, '.config'),
      'pip',
      'pip.conf',
    ),
  ];
}

async function readOptional(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return '';
    throw settingsUnreadable(file, error);
  }
}

/** Reads a section. Values may continue in lines that begin with spaces. */
function readSection(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let inGlobal = false;
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    const [, key, value = ''] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (section !== undefined) [inGlobal, last] = [section.trim() === 'global', undefined];
    else if (/^\s*[#;]/.test(line) || !inGlobal) continue;
    else if (key !== undefined) {
      last = key.replaceAll('_', '-').toLowerCase();
      values.set(last, value.trim());
    } else if (last !== undefined && /^\s+\S/.test(line)) {
      values.set(last, `${values.get(last) ?? ''} ${line.trim()}`.trim());
    }
  }
  return values;
}
