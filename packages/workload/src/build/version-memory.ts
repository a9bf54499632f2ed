import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Directories } from '../state/directories.ts';
import { writeAtomically } from '../state/write-atomically.ts';

const FRESH_MS = 60 * 60 * 1000;

export interface RememberedVersion {
  readonly version: string;
  readonly isFresh: boolean;
}

export function buildsFolder({ statuses }: Pick<Directories, 'statuses'>): string {
  return path.join(path.dirname(statuses), 'builds');
}

export class VersionMemory {
  readonly #folder: string;
  readonly #clock: () => Date;

  constructor(directories: Pick<Directories, 'statuses'>, clock: () => Date) {
    this.#folder = path.join(buildsFolder(directories), 'versions');
    this.#clock = clock;
  }

  async find(question: readonly unknown[]): Promise<RememberedVersion | undefined> {
    const text = await readFile(this.#fileOf(question), 'utf8').catch(() => undefined);
    const [, at, version] = /^(\d+) (\S+)\n$/.exec(text ?? '') ?? [];
    if (at === undefined || version === undefined) return undefined;
    const age = this.#clock().getTime() - Number(at);
    return { version, isFresh: age >= 0 && age < FRESH_MS };
  }

  /** Caches a looked-up version. Throws ERR_STATE_INACCESSIBLE. */
  async keep(question: readonly unknown[], version: string): Promise<void> {
    await writeAtomically(this.#fileOf(question), `${this.#clock().getTime()} ${version}\n`);
  }

  #fileOf(question: readonly unknown[]): string {
    const hash = createHash('sha256').update(JSON.stringify(question)).digest('hex');
    return path.join(this.#folder, hash.slice(0, 32));
  }
}
