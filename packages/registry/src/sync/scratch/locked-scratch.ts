import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isPortolanError, type ScratchFolder } from '@portolan/plugin-api';
import { scratchBusy, scratchUnavailable, scratchUnusable } from '../sync-errors.ts';
import { syncLeaseLost } from '../../store/store-errors.ts';
import { abortableDelay } from '../schedule/abortable-delay.ts';
import { takeScratchLock } from './scratch-lock.ts';
import { DEFINITION, FILES, LOCK, scratchNameOf, scratchRootOf } from './scratch-locations.ts';
import type { SyncedSource, SyncContext } from '../synced-source.ts';

/** Maximum wait for another process that holds the folder, in milliseconds. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 100;

interface ScratchLock {
  readonly files: string;
  readonly unlock: () => void;
}

/** Scratch folder during one sync. Locked on first use, released at the end of the sync. */
export class LockedScratch implements ScratchFolder {
  readonly maxBytes: number;
  readonly #source: SyncedSource;
  readonly #around: SyncContext;
  readonly #signal: AbortSignal;
  #opening: Promise<ScratchLock> | undefined;
  #isOver = false;

  constructor(source: SyncedSource, around: SyncContext, signal: AbortSignal) {
    this.maxBytes = around.scratch?.maxBytes ?? 0;
    this.#source = source;
    this.#around = around;
    this.#signal = signal;
  }

  async open(): Promise<string> {
    if (this.#isOver) throw new TypeError('the sync has ended, and with it the use of the scratch folder');
    this.#opening ??= this.#take();
    return (await this.#opening).files;
  }

  /**
   * Releases the folder and, above its size limit, empties it. Returns a sentence when it was emptied.
   * Idempotent. Never throws.
   */
  async release(): Promise<string | undefined> {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    const scratch = await this.#opening?.catch(() => undefined);
    if (scratch === undefined) return undefined;
    try {
      return await this.#measure(scratch.files);
    } catch (error) {
      this.#around.logger.warn(
        { source: this.#source.name, err: error },
        'cannot measure the scratch folder',
      );
      return undefined;
    } finally {
      scratch.unlock();
    }
  }

  async #measure(files: string): Promise<string | undefined> {
    const bytes = await folderBytes(files, this.maxBytes);
    if (bytes <= this.maxBytes) return undefined;
    await rm(files, { recursive: true, force: true });
    const { maxBytes } = this;
    this.#around.logger.warn(
      { source: this.#source.name, bytes, maxBytes },
      'scratch folder was too large and has been emptied',
    );
    return `Its scratch folder held more than ${maxBytes} bytes, and was emptied.`;
  }

  async #take(): Promise<ScratchLock> {
    const { scratch, store } = this.#around;
    if (scratch === undefined) throw scratchUnavailable();
    try {
      const root = await scratchRootOf(store, scratch.directory);
      const folder = join(root, scratchNameOf(this.#source.id));
      await makeFolder(folder);
      const unlock = await this.#lock(join(folder, LOCK));
      try {
        const files = join(folder, FILES);
        await this.#keepOnlyOwn(folder, files);
        return { files, unlock };
      } catch (error) {
        unlock();
        throw error;
      }
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      throw isPortolanError(error) ? error : scratchUnusable(this.#source.name, error);
    }
  }

  /**
   * Locks the folder against other processes. A process that lost its lease may still use the folder and
   * holds the lock until it ends.
   */
  async #lock(file: string): Promise<() => void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      this.#signal.throwIfAborted();
      const unlock = await takeScratchLock(file);
      if (unlock !== undefined) return unlock;
      if (performance.now() > deadline) throw scratchBusy(this.#source.name);
      await abortableDelay(LOOK_MS, this.#signal);
    }
  }

  /** Empties the folder when its content belongs to another definition of the source. */
  async #keepOnlyOwn(folder: string, files: string): Promise<void> {
    const definition = await this.#definition();
    const known = await readFile(join(folder, DEFINITION), 'utf8').catch(() => '');
    if (known !== definition) {
      for (const path of [files, join(folder, DEFINITION)]) await rm(path, { recursive: true, force: true });
      await writeFile(join(folder, DEFINITION), definition, { mode: 0o600 });
    }
    await makeFolder(files);
  }

  /**
   * Returns the definition of the source. Throws ERR_SYNC_LEASE_LOST when this process may no longer read it.
   */
  async #definition(): Promise<string> {
    const { store, owner } = this.#around;
    const row = await store.reading
      .selectFrom('source')
      .innerJoin('sync_status', 'sync_status.source_id', 'source.id')
      .select(['source.name', 'source.kind', 'source.block', 'source.created_at', 'lease_owner'])
      .where('source.id', '=', this.#source.id)
      .executeTakeFirst();
    if (row === undefined || row.lease_owner !== owner) throw syncLeaseLost(this.#source.name);
    const { name, kind, block, created_at } = row;
    return createHash('sha256')
      .update(JSON.stringify([name, kind, block, created_at]))
      .digest('base64url');
  }
}

/** Creates a folder. Anything else at this path counts as damage and is replaced. */
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { recursive: true, mode: 0o700 });
  try {
    await make();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    await rm(path, { force: true });
    await make();
  }
}

/** Returns the size of a folder in bytes, without following links. Stops counting above `enough`. */
async function folderBytes(folder: string, enough: number): Promise<number> {
  const seen = new Set<string>();
  const folders = [folder];
  let bytes = 0;
  for (let next = folders.pop(); next !== undefined && bytes <= enough; next = folders.pop()) {
    for (const name of await namesIn(next)) {
      const path = join(next, name);
      const stats = await lstat(path).catch(() => undefined); // removed meanwhile
      if (stats === undefined) continue;
      if (stats.isDirectory()) folders.push(path);
      const key = `${stats.dev}:${stats.ino}`;
      // A file with two hard links counts once.
      if (stats.nlink > 1 && !stats.isDirectory() && seen.has(key)) continue;
      if (stats.nlink > 1) seen.add(key);
      bytes += stats.size;
    }
  }
  return bytes;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
