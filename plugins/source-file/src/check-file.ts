import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import type { FileConfig } from './file-config.ts';
import { findUrlFault } from './parse-catalogue-url.ts';

const MAX_TIMEOUT_MS = 3_600_000;
/** Maximum size in bytes of a file that is checked before a sync. */
const MAX_LOOKED_AT = 1_048_576;

/**
 * Returns problems of a block. A missing or invalid file is only a warning, because it may be created later.
 */
export function checkFile(
  config: FileConfig,
  { directory }: { readonly directory: string },
): readonly KindProblem[] {
  const fault = config.url === undefined ? undefined : findUrlFault(config.url);
  const ofUrl = { place: 'url', found: fault ?? '', expected: 'an http or https address' };
  return [
    ...(fault === undefined ? [] : [ofUrl]),
    ...checkTimeout(config),
    ...checkData(config),
    ...checkPath(config, directory),
  ];
}

/**
 * Returns problems of inline text. They are errors, because the text will not change by itself. Entries are
 * checked at the sync.
 */
function checkData({ data }: FileConfig): readonly KindProblem[] {
  if (data === undefined) return [];
  const found = findTextFault(data);
  return found === undefined ? [] : [{ place: 'data', found, expected: 'the JSON text of a catalogue' }];
}

function checkPath({ path }: FileConfig, directory: string): readonly KindProblem[] {
  const match = path === undefined ? undefined : findFileFault(resolve(directory, path));
  if (path === undefined || match === undefined) return [];
  return [
    {
      place: 'path',
      found: `${JSON.stringify(path)}, ${match}`,
      expected: 'a catalogue file',
      isWarning: true,
    },
  ];
}

/** Returns what is wrong with a file, without its path. Undefined when the file may be a catalogue. */
function findFileFault(file: string): string | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return stats.isDirectory() ? 'which is a folder' : 'which is not a file';
    accessSync(file, constants.R_OK);
    // A large file is checked at the sync, which reads it in pieces.
    const fault = stats.size > MAX_LOOKED_AT ? undefined : findTextFault(readFileSync(file, 'utf8'));
    return fault === undefined ? undefined : `which holds ${fault}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return isMissing ? 'which does not exist' : `which cannot be read (${String(code)})`;
  }
}

/** Returns the fault of the text. Its entries are checked at the sync. */
function findTextFault(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return 'text that is not JSON';
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return 'JSON that is not an object';
  const keys = ['data', 'servers', 'remote_servers'];
  return keys.some((key) => Object.hasOwn(Object(document), key))
    ? undefined
    : `a map without ${keys.join(', ')}`;
}

export function checkTimeout({ url, timeout }: FileConfig): readonly KindProblem[] {
  if (timeout === undefined) return [];
  const found = JSON.stringify(timeout);
  if (url === undefined) {
    return [{ place: 'timeout', found: `${found} without url`, expected: 'none: it limits a download' }];
  }
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return [];
  return [{ place: 'timeout', found, expected: 'a duration above zero and at most 1h' }];
}
