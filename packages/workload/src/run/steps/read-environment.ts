import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import { parseEnvironmentFile, type Variables } from '@portolan/run-spec';
import { environmentFileUnreadable } from '../run-errors.ts';

/** Reads one file. Throws ERR_ENVIRONMENT_FILE when it cannot be read, and what `parseEnvironmentFile` throws. */
export async function readEnvironmentFile(file: string, signal?: AbortSignal): Promise<Variables> {
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
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
