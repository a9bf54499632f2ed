import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '@portolan/plugin-api';
import { isJsonObject, memberOf, readJson, textMember } from '@portolan/run-spec';
import type { RegistryServer } from './registry-server.ts';

export interface CachedServers {
  readonly fetchedAt: Date;
  readonly servers: readonly RegistryServer[];
}

export interface CatalogueCacheOptions {
  readonly folder: string;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** Writes a file atomically, private to the user, and creates its folder. */
  readonly write: (file: string, text: string) => Promise<void>;
}

/** Milliseconds for which a cached result is used without a request. */
export const FRESH_MS = 3_600_000;
const KEPT_MS = 7 * 24 * FRESH_MS;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_BYTES = 50 * 1024 * 1024;
const FORMAT = 1;

/**
 * Caches responses in memory and in a folder that processes share: files are replaced atomically, and
 * unreadable ones count as absent. Keeps files for 7 days, up to 10 MiB each and 50 MiB in total. Logs an
 * unwritable cache and continues.
 */
export class CatalogueCache {
  readonly #options: CatalogueCacheOptions;
  readonly #memory = new Map<string, CachedServers>();

  constructor(options: CatalogueCacheOptions) {
    this.#options = options;
  }

  /** Returns what any process stored under this key in the last 7 days. */
  async find(...key: readonly string[]): Promise<CachedServers | undefined> {
    const name = fileNameOf(key);
    const stored = (await this.#read(name)) ?? this.#memory.get(name);
    const ageMs = stored === undefined ? KEPT_MS : this.ageMs(stored);
    return ageMs < KEPT_MS ? stored : undefined;
  }

  /**
   * Returns the age of a result in milliseconds. When the clock was set back, the result counts as too old.
   */
  ageMs({ fetchedAt }: CachedServers): number {
    const age = this.#options.clock().getTime() - fetchedAt.getTime();
    return age < 0 ? KEPT_MS : age;
  }

  async store(servers: readonly RegistryServer[], ...key: readonly string[]): Promise<CachedServers> {
    const { folder, clock, logger, write } = this.#options;
    const name = fileNameOf(key);
    const cached: CachedServers = { fetchedAt: clock(), servers };
    this.#memory.set(name, cached);
    const text = JSON.stringify({ format: FORMAT, fetchedAt: cached.fetchedAt.toISOString(), servers });
    try {
      const isSmall = Buffer.byteLength(text) <= MAX_FILE_BYTES;
      if (isSmall) await write(path.join(folder, name), text);
      else await rm(path.join(folder, name), { force: true });
      await this.#prune();
    } catch (error) {
      logger.debug({ folder, reason: String(error) }, 'the answer of the registry was not kept');
    }
    return cached;
  }

  async #read(name: string): Promise<CachedServers | undefined> {
    const file = path.join(this.#options.folder, name);
    try {
      if ((await stat(file)).size > MAX_FILE_BYTES) return undefined;
      return parseCached(await readFile(file, 'utf8'));
    } catch {
      return undefined; // absent or unreadable: it is created again
    }
  }

  /** Deletes files, oldest first. Other processes may do the same. */
  async #prune(): Promise<void> {
    const { folder, clock } = this.#options;
    const now = clock().getTime();
    const files: { readonly file: string; readonly bytes: number; readonly writtenAt: number }[] = [];
    for (const name of await readdir(folder)) {
      const file = path.join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (stats?.isFile() === true) files.push({ file, bytes: stats.size, writtenAt: stats.mtimeMs });
    }
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    for (const { file, bytes: size, writtenAt } of files.toSorted((a, b) => a.writtenAt - b.writtenAt)) {
      // Temporary files of killed processes are deleted after an hour.
      const keptMs = file.endsWith('.tmp') ? FRESH_MS : KEPT_MS;
      if (now - writtenAt < keptMs && bytes <= MAX_BYTES) continue;
      await rm(file, { force: true });
      bytes -= size;
    }
  }
}

function fileNameOf(key: readonly string[]): string {
  return `${createHash('sha256').update(JSON.stringify(key)).digest('hex')}.json`;
}

function parseCached(text: string): CachedServers | undefined {
  const reading = readJson(text);
  if ('fault' in reading || memberOf(reading.value, 'format') !== FORMAT) return undefined;
  const fetchedAt = new Date(textMember(reading.value, 'fetchedAt') ?? Number.NaN);
  const servers = memberOf(reading.value, 'servers');
  if (Number.isNaN(fetchedAt.getTime()) || !Array.isArray(servers)) return undefined;
  const read = servers.flatMap((server): readonly RegistryServer[] => {
    const document = memberOf(server, 'document');
    if (!isJsonObject(document) || textMember(document, 'name') === undefined) return [];
    const status = textMember(server, 'status') ?? 'active';
    return [{ document, status, statusMessage: textMember(server, 'statusMessage') }];
  });
  return read.length === servers.length ? { fetchedAt, servers: read } : undefined;
}
