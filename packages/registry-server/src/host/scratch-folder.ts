import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Kernel } from '@portolan/kernel';
import type { ScratchLocation, Store } from '@portolan/registry';

export interface OpenScratchFolder {
  readonly place: ScratchLocation;
  close(): Promise<void>;
}

/**
 * Opens the folder for scratch data of sources: `scratch.directory`, or `sources` in the user's data
 * directory. With an in-memory database, opens a temporary folder, because no later start knows the sources.
 */
export async function openScratchFolder(
  { config, directory }: Pick<Kernel, 'config' | 'directory'>,
  environment: Readonly<Record<string, string | undefined>>,
  store: Pick<Store, 'where'>,
): Promise<OpenScratchFolder> {
  const { directory: named, maxBytes } = config.scratch;
  if (named !== undefined) return kept(resolve(directory, named), maxBytes);
  if (store.where !== ':memory:') {
    const data = environment['XDG_DATA_HOME'];
    const base = data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share');
    return kept(join(base, 'portolan', 'sources'), maxBytes);
  }
  const passing = await mkdtemp(join(tmpdir(), 'portolan-sources-'));
  return {
    place: { directory: passing, maxBytes },
    close: () => rm(passing, { recursive: true, force: true }),
  };
}

/** Returns a permanent folder. It is created when a source first uses it. */
function kept(directory: string, maxBytes: number): OpenScratchFolder {
  return { place: { directory, maxBytes }, close: async () => undefined };
}
