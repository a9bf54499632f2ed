import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { BuildFolder } from '@portolan/plugin-api';
import { contextUnreadable } from '../build-errors.ts';
import { type IgnoreRules, readIgnoreRules } from './ignore-rules.ts';

/** File or link of a build context. `path` is relative to the folder, with forward slashes. */
export type ContextEntry =
  | { readonly kind: 'file'; readonly path: string; readonly source: string; readonly isExecutable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/**
 * Returns the files and links of a build context in a fixed order. Excludes `.git`, paths that match
 * `leavesOut` or `.dockerignore`, links that lead out of the folder, and special files. Throws
 * ERR_PACKAGE_BUILD.
 */
export async function listContext(
  { source: folder, leavesOut = [] }: Pick<BuildFolder, 'source' | 'leavesOut'>,
  signal?: AbortSignal,
): Promise<readonly ContextEntry[]> {
  const entries: ContextEntry[] = [];
  try {
    const rules = await readIgnoreRules([...leavesOut, await readIgnoreFile(folder)].join('\n'));
    await collect(folder, '', { rules, entries, signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw contextUnreadable(folder, error);
  }
  return entries;
}

async function readIgnoreFile(folder: string): Promise<string> {
  try {
    return await readFile(path.join(folder, '.dockerignore'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

interface Collecting {
  readonly rules: IgnoreRules;
  readonly entries: ContextEntry[];
  readonly signal: AbortSignal | undefined;
}

async function collect(root: string, below: string, collecting: Collecting): Promise<void> {
  const { rules, entries, signal } = collecting;
  signal?.throwIfAborted();
  const dirents = await readdir(path.join(root, below), { withFileTypes: true });
  for (const entry of dirents.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const inside = below === '' ? entry.name : `${below}/${entry.name}`;
    if (inside === '.git') continue;
    const isOut = rules.leavesOut(inside, entry.isDirectory());
    if (entry.isDirectory() && (!isOut || rules.takesIn)) await collect(root, inside, collecting);
    if (isOut || entry.isDirectory()) continue;
    const source = path.join(root, inside);
    if (entry.isFile()) {
      const isExecutable = ((await lstat(source)).mode & 0o111) !== 0;
      entries.push({ kind: 'file', path: inside, source, isExecutable });
    } else if (entry.isSymbolicLink()) {
      const target = await readlink(source);
      if (staysInside(inside, target)) entries.push({ kind: 'link', path: inside, target });
    }
  }
}

function staysInside(link: string, target: string): boolean {
  if (path.isAbsolute(target)) return false;
  const led = path.posix.normalize(path.posix.join(path.posix.dirname(link), target));
  return led !== '..' && !led.startsWith('../');
}

/** Returns a hash of a build context. Throws ERR_PACKAGE_BUILD. */
export async function hashContext(
  folder: string,
  entries: readonly ContextEntry[],
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  try {
    for (const entry of entries) {
      signal?.throwIfAborted();
      hash.update(
        JSON.stringify([entry.kind, entry.path, entry.kind === 'file' ? entry.isExecutable : entry.target]),
      );
      if (entry.kind === 'file') hash.update(await hashFile(entry.source));
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw contextUnreadable(folder, error);
  }
  return hash.digest('hex');
}

async function hashFile(file: string): Promise<Buffer> {
  const hash = createHash('sha256');
  // a stream without an encoding yields bytes
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array);
  return hash.digest();
}
