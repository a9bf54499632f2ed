import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { environmentFileUnreadable } from '../errors.ts';
import { type KeyValue, parseEnvironmentVariable } from './key-value.ts';

/** Variables in the order of their first line; a later line wins. */
export type Variables = ReadonlyMap<string, string>;

/**
 * Lines `KEY=VALUE`, each perhaps behind `export `. Empty lines and lines that
 * start with `#` count for nothing; quotes and backslashes are part of the
 * value. Throws ERR_ENVIRONMENT_VARIABLE, its place being `FILE:LINE`.
 */
export function parseEnvironmentFile(text: string, file: string): Variables {
  const variables = new Map<string, string>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const { key, value } = parseLine(line.replace(/^export\s+/, ''), `${file}:${index + 1}`);
    variables.set(key, value);
  }
  return variables;
}

/** White space around the `=` belongs to neither side. */
function parseLine(line: string, place: string): KeyValue {
  const at = line.indexOf('=');
  if (at === -1) return parseEnvironmentVariable(line, place);
  return parseEnvironmentVariable(`${line.slice(0, at).trimEnd()}=${line.slice(at + 1).trimStart()}`, place);
}

/** Reads one file. Throws ERR_ENVIRONMENT_FILE when it cannot be read, and what `parseEnvironmentFile` throws. */
export async function readEnvironmentFile(file: string, signal?: AbortSignal): Promise<Variables> {
  let text: string;
  try {
    text = await readFile(file, { encoding: 'utf8', signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw environmentFileUnreadable(file, error);
  }
  return parseEnvironmentFile(text, file);
}

export interface EnvironmentFolder {
  readonly variables: Variables;
  /** A sentence for each file that was left out. */
  readonly warnings: readonly string[];
}

/**
 * All regular, not hidden files of a folder, by name; a later file wins. A file
 * that cannot be read is left out with a warning; a folder that is not there is
 * empty. Throws what `parseEnvironmentFile` throws.
 */
export async function readEnvironmentFolder(
  folder: string,
  signal?: AbortSignal,
): Promise<EnvironmentFolder> {
  const variables = new Map<string, string>();
  const warnings: string[] = [];
  for (const file of await listFiles(folder)) {
    try {
      for (const [key, value] of await readEnvironmentFile(file, signal)) variables.set(key, value);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      warnings.push(error.message);
    }
  }
  return { variables, warnings };
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const items = await readdir(folder, { withFileTypes: true });
    return items
      .filter((item) => !item.name.startsWith('.') && (item.isFile() || item.isSymbolicLink()))
      .map((item) => path.join(folder, item.name))
      .toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw environmentFileUnreadable(folder, error);
  }
}

function isUnreadable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_ENVIRONMENT_FILE';
}
