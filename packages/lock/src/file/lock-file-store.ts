import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import {
  digestsOf,
  fileNameOf,
  findContentFault,
  isAbsent,
  isTooLarge,
  listFiles,
  readContents,
  removeUnused,
} from './contents.ts';
import { formatLockFile } from './format-lock-file.ts';
import { badLockFile, lockFileInaccessible } from './lock-file-errors.ts';
import type { Contents, LockFile } from './lock-file.ts';
import { parseLockFile } from './parse-lock-file.ts';
import { writeAtomically } from './write-atomically.ts';

/** Maximum size of a lock file in bytes: about 40,000 tools. */
const MAX_LOCK_FILE_BYTES = 8 * 1024 * 1024;
const TOO_LARGE = `found more than ${MAX_LOCK_FILE_BYTES} bytes; expected at most as many`;

/** A lock file with the JSON behind its digests. */
export interface StoredLock {
  readonly lock: LockFile;
  /** JSON by digest. A digest without stored JSON is absent; its definition can be compared by digest only. */
  readonly contents: Contents;
}

/**
 * Reads a lock file and the contents next to it; only those of one workload, if named. Returns undefined if the
 * file does not exist. Throws ERR_LOCK_FILE with every problem and its place, and ERR_STATE_INACCESSIBLE.
 */
export async function readLockFile(
  file: string,
  { workload }: { readonly workload?: string } = {},
): Promise<StoredLock | undefined> {
  const target = await followLink(file);
  const text = await readText(target);
  if (text === undefined) return undefined;
  const lock = parseLockFile(text, file, contentsNameOf(target));
  const read = [...lock.workloads].filter(([name]) => workload === undefined || name === workload);
  const digests = read.flatMap(([, locked]) => digestsOf(locked));
  return { lock, contents: await readContents(contentsFolderOf(target), digests) };
}

/**
 * Writes a lock file and its contents, and removes contents that it no longer names. `contents` may lack JSON that
 * is already stored. Returns whether anything changed. Throws ERR_STATE_INACCESSIBLE, and ERR_LOCK_FILE for a lock file
 * that would not be valid; then the file is unchanged.
 */
export async function writeLockFile(file: string, { lock, contents }: StoredLock): Promise<boolean> {
  const target = await followLink(file);
  const folder = contentsFolderOf(target);
  const text = formatLockFile(lock, contentsNameOf(target));
  if (Buffer.byteLength(text) > MAX_LOCK_FILE_BYTES) throw badLockFile(file, [TOO_LARGE]);
  parseLockFile(text, file, contentsNameOf(target));
  const digests = new Set([...lock.workloads.values()].flatMap(digestsOf));
  const isSame = (await readText(target)) === text;
  const texts = await findNewContents(file, { folder, digests, contents });
  if (!isSame) texts.set(target, text);
  try {
    await writeAtomically(texts);
  } catch (error) {
    throw lockFileInaccessible(file, 'write', error);
  }
  return (await removeUnused(folder, digests)) || texts.size > 0;
}

/** Returns the contents that the folder lacks, by path. They come before the lock file that names them. */
async function findNewContents(
  file: string,
  {
    folder,
    digests,
    contents,
  }: { readonly folder: string; readonly digests: ReadonlySet<string>; readonly contents: Contents },
): Promise<Map<string, string>> {
  const stored = new Set(await listFiles(folder));
  const texts = new Map<string, string>();
  const problems: string[] = [];
  for (const digest of digests) {
    const json = contents.get(digest);
    if (json === undefined || stored.has(fileNameOf(digest))) continue;
    const fault = findContentFault(digest, json);
    if (fault !== undefined) problems.push(`${fileNameOf(digest)}: ${fault}`);
    texts.set(path.join(folder, fileNameOf(digest)), json);
  }
  if (problems.length > 0) throw badLockFile(file, problems);
  return texts;
}

/** Returns the folder of the contents as the lock file names it: `portolan.lock.d/`. */
function contentsNameOf(file: string): string {
  return `${path.basename(file)}.d/`;
}

function contentsFolderOf(file: string): string {
  return `${file}.d`;
}

/** Returns the file that a link leads to, because a replaced link would no longer be one. */
async function followLink(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (isAbsent(error)) return path.resolve(file);
    throw lockFileInaccessible(file, 'read', error);
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readSmallFile(file, { maxBytes: MAX_LOCK_FILE_BYTES });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (isTooLarge(error)) throw badLockFile(file, [TOO_LARGE]);
    throw lockFileInaccessible(file, 'read', error);
  }
}
