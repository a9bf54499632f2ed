import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from '../../state/file-lock.ts';
import { type StateFolder, stateIdOf } from '../../state/workload-labels.ts';
import { writeAtomically } from '../../state/write-atomically.ts';
import { buildsFolder } from '../version-memory.ts';

/** Maximum wait for the lock in milliseconds, longer than the build of a gateway image. */
const LOCK_MS = 30 * 60 * 1000;

/**
 * Ids of the images that Portolan built for one state folder, by tag. Only the id proves that Portolan built
 * an image: anyone can give another image the same tag or labels.
 */
export class BuiltIds {
  /** Id of the state folder, a part of each tag: two state folders never replace each other's images. */
  readonly stateId: string;
  readonly #folder: string;

  constructor(directories: StateFolder) {
    this.stateId = stateIdOf(directories);
    this.#folder = path.join(buildsFolder(directories), 'images');
  }

  /** Returns the id of the image under this tag; undefined when unknown. */
  async find(tag: string): Promise<string | undefined> {
    const text = await readFile(this.#fileOf(tag), 'utf8').catch(() => undefined);
    return /^(sha256:[0-9a-f]{64}|[0-9a-f]{64})\n$/.exec(text ?? '')?.[1];
  }

  /** Stores the id of an image. Throws ERR_STATE_INACCESSIBLE. */
  async keep(tag: string, id: string): Promise<void> {
    await writeAtomically(this.#fileOf(tag), `${id}\n`);
  }

  /**
   * Runs `action` under a lock, so that only one process builds the image of this tag at a time. Throws
   * ERR_STATE_BUSY.
   */
  async alone<Result>(
    tag: string,
    action: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const options = { timeoutMs: LOCK_MS, ...(signal === undefined ? {} : { signal }) };
    return await withLock(`${this.#fileOf(tag)}.lock`, action, options);
  }

  #fileOf(tag: string): string {
    return path.join(this.#folder, createHash('sha256').update(tag).digest('hex').slice(0, 32));
  }
}
