import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import type { RepositoryFile } from './list-files.ts';
import { tooLarge } from './errors.ts';
import { type CachedRepository, refspecOf } from './cached-repository.ts';
import { runGit } from './run-git.ts';
import { GitFailure } from './start-git.ts';

/** Settings of git that keep packs, with one thread and no background process. */
export const FETCH_SETTINGS = {
  'fetch.unpackLimit': '1',
  'transfer.unpackLimit': '1',
  'fetch.writeCommitGraph': 'false',
  'fetch.recurseSubmodules': 'false',
  'pack.threads': '1',
} as const;

/**
 * Settings of a partial fetch: git requests no file content if the server can omit it, and later requests no
 * missing content by itself.
 */
export const PARTIAL_SETTINGS = {
  'remote.origin.promisor': 'true',
  'remote.origin.partialCloneFilter': 'blob:none',
} as const;

const WORDS = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-show-forced-updates',
] as const;

/** Limits of a repository after a fetch. */
export interface FetchLimits {
  readonly bytes: number;
  readonly objects: number;
}

export interface FetchInput {
  readonly repository: CachedRepository;
  readonly connection: Connection;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
}

/** Fetches one commit without its history. Throws ERR_SOURCE_TOO_LARGE and what `runGit` throws. */
export async function fetchCommit(object: string, input: FetchInput): Promise<void> {
  await fetchWith([...WORDS, '--depth=1', '--refmap=', '--', 'origin', refspecOf(object)], '', input);
}

/** Arguments that include the history after a shallow fetch. */
const WHOLE_HISTORY = '--depth=2147483647';

/**
 * Fetches all branches and tags without storing their names: a server may have any number, each of which
 * would be a file. Throws like `fetchCommit`.
 */
export async function fetchHistory(input: FetchInput): Promise<void> {
  const { connection, limits, signal } = input;
  const words = ['ls-remote', '--quiet', '--heads', '--tags', '--refs', '--', 'origin'];
  const output = await runGit({ words, ...connection, signal });
  const tips = new Set(output.toString('latin1').match(/^[0-9a-f]{40,64}(?=\t)/gm));
  if (tips.size > limits.objects) throw tooLarge(`${limits.objects} objects`);
  if (tips.size === 0) return;
  const text = [...tips].map((tip) => `${tip}\n`).join('');
  await fetchWith([...WORDS, WHOLE_HISTORY, '--refmap=', '--stdin', '--', 'origin'], text, input);
}

/**
 * The server may have the object, and serves only what branches and tags name, as before version 2 of git's
 * protocol.
 */
export function givesOutTipsOnly(error: unknown): boolean {
  return error instanceof GitFailure && /request for unadvertised object/.test(error.output);
}

/** Throws the same. */
export async function fetchFiles(files: readonly RepositoryFile[], input: FetchInput): Promise<void> {
  const objects = files.map(({ object }) => `${object}\n`).join('');
  const words = [
    '-c',
    'fetch.negotiationAlgorithm=noop',
    ...WORDS,
    '--filter=blob:none',
    '--stdin',
    '--',
    'origin',
  ];
  await fetchWith(words, objects, input);
}

async function fetchWith(
  words: readonly string[],
  text: string,
  { repository, connection, limits, signal }: FetchInput,
): Promise<void> {
  await runGit({ words, ...connection, input: text, signal });
  await checkSize(join(repository.folder, 'objects', 'pack'), limits);
}

/** Throws ERR_SOURCE_TOO_LARGE when the packs are too large, or one has too many objects. */
async function checkSize(folder: string, { bytes, objects }: FetchLimits): Promise<void> {
  let sum = 0;
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    sum += (await stat(file)).size;
    if (name.endsWith('.pack') && (await countObjects(file)) > objects) throw tooLarge(`${objects} objects`);
  }
  if (sum > bytes) throw tooLarge(`${bytes} bytes`);
}

/** Returns the number of objects in the header of a pack (gitformat-pack). */
async function countObjects(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const header = Buffer.alloc(12);
    const { bytesRead } = await handle.read(header, 0, 12, 0);
    return bytesRead === 12 ? header.readUInt32BE(8) : 0;
  } finally {
    await handle.close();
  }
}
