import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { findRepeatedName } from '@portolan/mcp-protocol';
import { readSmallFile } from '@portolan/plugin-api';
import { digestOfJson } from '../digest/definition-digest.ts';
import { badLockFile, lockFileInaccessible } from './lock-file-errors.ts';
import type { Contents, LockedWorkload } from './lock-file.ts';

/** Maximum size of the JSON behind one digest in bytes. */
const MAX_CONTENT_BYTES = 4 * 1024 * 1024;
/** Maximum number of files that are open at a time. */
const MAX_OPEN = 32;
const TOO_LARGE = `found more than ${MAX_CONTENT_BYTES} bytes; expected at most as many`;
const FILE_NAME = /^[0-9a-f]{64}\.json$/;

/** Returns the digests of a workload whose JSON is stored. */
export function digestsOf({ server, profile, tools, prompts, templates }: LockedWorkload): readonly string[] {
  return [
    server.capabilities,
    ...(server.instructions === undefined ? [] : [server.instructions]),
    ...(profile === undefined ? [] : [profile]),
    ...[tools, prompts, templates].flatMap((items) => [...items.values()].map(({ digest }) => digest)),
  ];
}

/** Returns the name of the file with the JSON behind a digest. */
export function fileNameOf(digest: string): string {
  return `${digest.replace('sha256:', '')}.json`;
}

/**
 * Reads the JSON behind digests from a folder. A file that does not exist is left out. Throws ERR_LOCK_FILE with
 * every file whose text does not have its digest.
 */
export async function readContents(folder: string, digests: Iterable<string>): Promise<Contents> {
  const present = new Set(await listFiles(folder));
  const wanted = [...new Set(digests)].filter((digest) => present.has(fileNameOf(digest)));
  const contents = new Map<string, string>();
  const problems: string[] = [];
  for (let at = 0; at < wanted.length; at += MAX_OPEN) {
    const texts = await Promise.all(
      wanted.slice(at, at + MAX_OPEN).map(async (digest) => [digest, await readOne(folder, digest)] as const),
    );
    for (const [digest, json] of texts) {
      const fault = findContentFault(digest, json);
      if (fault === undefined) contents.set(digest, json);
      else problems.push(`${path.join(path.basename(folder), fileNameOf(digest))}: ${fault}`);
    }
  }
  if (problems.length > 0) throw badLockFile(folder, problems);
  return contents;
}

/** Returns why a text is not the JSON behind a digest. */
export function findContentFault(digest: string, json: string): string | undefined {
  if (Buffer.byteLength(json) > MAX_CONTENT_BYTES) return TOO_LARGE;
  const own = digestOfJson(json);
  if (own !== digest) return `found a text with the digest ${own}; expected the digest of its name`;
  try {
    JSON.parse(json);
  } catch {
    return 'found a text that is not JSON; expected JSON';
  }
  const fault = findRepeatedName(json);
  return fault === undefined ? undefined : `found JSON that programs read differently: ${fault}`;
}

/** Removes contents that no digest names. Leaves files of other names. */
export async function removeUnused(folder: string, digests: Iterable<string>): Promise<boolean> {
  const used = new Set([...digests].map(fileNameOf));
  const unused = (await listFiles(folder)).filter((name) => FILE_NAME.test(name) && !used.has(name));
  for (const name of unused) await rm(path.join(folder, name), { force: true });
  return unused.length > 0;
}

/** Returns the names of the files in a folder; none if it does not exist. */
export async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw lockFileInaccessible(folder, 'read', error);
  }
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EFBIG';
}

async function readOne(folder: string, digest: string): Promise<string> {
  const file = path.join(folder, fileNameOf(digest));
  try {
    return await readSmallFile(file, { maxBytes: MAX_CONTENT_BYTES });
  } catch (error) {
    if (isTooLarge(error)) throw badLockFile(folder, [`${fileNameOf(digest)}: ${TOO_LARGE}`]);
    throw lockFileInaccessible(file, 'read', error);
  }
}
