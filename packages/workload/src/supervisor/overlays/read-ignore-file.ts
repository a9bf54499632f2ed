import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ignoreFileUnreadable, ignorePatternUnusable } from './overlays-errors.ts';

export interface IgnoreFile {
  readonly file: string;
  readonly lines: readonly IgnoreLine[];
}

export interface IgnoreLine {
  readonly raw: string;
  readonly text: string;
  /** Line number, counted from 1. */
  readonly number: number;
}

/** Names of the ignore file in a mounted folder; the first existing file is used. */
export const LOCAL_IGNORE_FILES: readonly string[] = ['.portolanignore', '.thvignore'];

const MAX_BYTES = 1_048_576;

/**
 * Maximum number of wildcards in a pattern. With more, crafted file names could keep the matcher busy for
 * hours.
 */
const MAX_WILDCARDS = 4;

/**
 * Returns the rules of the first existing file; undefined without a file or without rules in it. Throws
 * ERR_IGNORE_FILE.
 */
export async function findIgnoreFile(files: readonly string[]): Promise<IgnoreFile | undefined> {
  for (const file of files) {
    const text = await readText(file);
    if (text === undefined) continue;
    const lines = readLines(text, file);
    return lines.length === 0 ? undefined : { file, lines };
  }
  return undefined;
}

export async function findLocalIgnoreFile(folder: string): Promise<IgnoreFile | undefined> {
  return await findIgnoreFile(LOCAL_IGNORE_FILES.map((name) => path.join(folder, name)));
}

async function readText(file: string): Promise<string | undefined> {
  try {
    // Without O_NONBLOCK, opening a named pipe without a writer would block.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw ignoreFileUnreadable(file, 'it is not a regular file');
      if (stats.size > MAX_BYTES) throw ignoreFileUnreadable(file, `it is larger than ${MAX_BYTES} bytes`);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      const text = buffer.toString('utf8', 0, bytesRead);
      if (text.includes('\0') || text.includes('\uFFFD'))
        throw ignoreFileUnreadable(file, 'it is not UTF-8 text');
      return text.replace(/^\uFEFF/, '');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT') return undefined;
    if (code.startsWith('ERR_')) throw error;
    throw ignoreFileUnreadable(file, code, error);
  }
}

function readLines(text: string, file: string): readonly IgnoreLine[] {
  return text.split(/\r?\n|\r/).flatMap((raw, index) => {
    const line = { raw, text: raw.trim(), number: index + 1 };
    if (line.text === '' || line.text.startsWith('#')) return [];
    checkWildcards(line, file);
    return [line];
  });
}

function checkWildcards({ text, number }: IgnoreLine, file: string): void {
  const parts = text.split('/');
  const most = Math.max(
    parts.filter((part) => part.includes('**')).length,
    ...parts.map((part) => part.match(/\*+/g)?.length ?? 0),
  );
  if (most <= MAX_WILDCARDS) return;
  throw ignorePatternUnusable(file, number, `it has more than ${MAX_WILDCARDS} wildcards between two "/"`);
}
