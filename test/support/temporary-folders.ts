import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Folders of one test, which are removed after it. */
export class TemporaryFolders {
  readonly #made: string[] = [];

  async make(): Promise<string> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-workload-'));
    this.#made.push(folder);
    return folder;
  }

  async removeAll(): Promise<void> {
    for (const folder of this.#made.splice(0)) await rm(folder, { recursive: true, force: true });
  }
}
