import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from '../../state/file-lock.ts';
import { type StateFolder, stateIdOf } from '../../state/workload-labels.ts';
import { writeAtomically } from '../../state/write-atomically.ts';
import { buildsFolder } from '../version-memory.ts';

/** Longer than an image of the gateway takes to make, a pull of its base included. */
const LOCK_MS = 30 * 60 * 1000;

/**
 * Ids of the images that Portolan built for one state folder, by their tags. An image
 * is used only by such an id: anybody could give another image the same tag or labels.
 */
export class BuiltIds {
  /** Part of each tag, so that two state folders never replace each other's images. */
  readonly stateId: string;
  readonly #folder: string;

  constructor(directories: StateFolder) {
    this.stateId = stateIdOf(directories);
    this.#folder = path.join(buildsFolder(directories), 'images');
  }

  /** Returns the id of the image that was built under this tag; undefined when none was, or the file is damaged. */
  async find(tag: string): Promise<string | undefined> {
    const text = await readFile(this.#fileOf(tag), 'utf8').catch(() => undefined);
    return /^(sha256:[0-9a-f]{64}|[0-9a-f]{64})\n$/.exec(text ?? '')?.[1];
  }

  /** Throws ERR_STATE_INACCESSIBLE. */
  async keep(tag: string, id: string): Promise<void> {
    await writeAtomically(this.#fileOf(tag), `${id}\n`);
  }

  /** Runs an action while no other process of this state folder makes the same image. Throws ERR_STATE_BUSY. */
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
