import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import { parseEnvironmentFile, quote, type Variables, warnOfLiteralMarks } from '@portolan/run-spec';
import { environmentFileUnreadable, environmentFolderUnreadable } from '../../run-errors.ts';

export interface ReadEnvironment {
  readonly variables: Variables;
  readonly warnings: readonly string[];
}

/** Reads a file of variables. Throws ERR_ENVIRONMENT_FILE, and like `parseEnvironmentFile`. */
export async function readEnvironmentFile(file: string, signal?: AbortSignal): Promise<ReadEnvironment> {
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw environmentFileUnreadable(file, error);
  }
  const warning = warnOfLiteralMarks(text, file);
  return { variables: parseEnvironmentFile(text, file), warnings: warning === undefined ? [] : [warning] };
}

/**
 * Reads the variables in all files of a folder, in the order of the file names. A later file overrides an
 * earlier one. Warns about skipped and unreadable files. Throws ERR_ENVIRONMENT_FILE for an unreadable
 * folder, and like `parseEnvironmentFile`.
 */
export async function readEnvironmentFolder(folder: string, signal?: AbortSignal): Promise<ReadEnvironment> {
  const variables = new Map<string, string>();
  const { names, skipped } = await listFiles(folder);
  const warnings = skipped.length === 0 ? [] : [skippedFiles(folder, skipped)];
  for (const name of names) {
    try {
      const file = path.join(folder, name);
      const read = await readEnvironmentFile(file, signal);
      for (const [key, value] of read.variables) variables.set(key, value);
      warnings.push(...read.warnings);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      warnings.push(error.message);
    }
  }
  return { variables, warnings };
}

async function listFiles(
  folder: string,
): Promise<{ readonly names: readonly string[]; readonly skipped: readonly string[] }> {
  try {
    const items = (await readdir(folder, { withFileTypes: true })).toSorted((left, right) =>
      left.name < right.name ? -1 : 1,
    );
    const { read = [], skipped = [] } = Object.groupBy(items, (item) =>
      isRead(item.name) && (item.isFile() || item.isSymbolicLink()) ? 'read' : 'skipped',
    );
    return { names: read.map(({ name }) => name), skipped: skipped.map(({ name }) => name) };
  } catch (error) {
    throw environmentFolderUnreadable(folder, error);
  }
}

/**
 * Returns whether to read a file of the folder. Excludes files that editors and package managers leave
 * behind, such as `.env.swp` and `server.env~`.
 */
function isRead(name: string): boolean {
  return name === '.env' || (!name.startsWith('.') && !name.endsWith('~'));
}

const MAX_NAMED = 5;

function skippedFiles(folder: string, names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const named = names.slice(0, MAX_NAMED).map(quote).join(', ');
  return `${folder}: ${named}${more} skipped: only files are read, except those whose names start with "." (other than .env) or end with "~".`;
}

function isUnreadable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_ENVIRONMENT_FILE';
}
