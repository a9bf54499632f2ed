import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Kernel } from '@portolan/kernel';
import type { ScratchPlace, Store } from '@portolan/registry';

export interface OpenScratchPlace {
  readonly place: ScratchPlace;
  close(): Promise<void>;
}

/**
 * Where sources keep what need not be fetched twice: what `scratch.directory` says,
 * else `sources` in the data directory of the user. A database in memory knows no
 * source again, so theirs goes when the server stops.
 */
export async function openScratchPlace(
  { config, directory }: Pick<Kernel, 'config' | 'directory'>,
  environment: Readonly<Record<string, string | undefined>>,
  store: Pick<Store, 'where'>,
): Promise<OpenScratchPlace> {
  const { directory: named, maxBytes: mostBytes } = config.scratch;
  if (named !== undefined) return kept(resolve(directory, named), mostBytes);
  if (store.where !== ':memory:') {
    const data = environment['XDG_DATA_HOME'];
    const base = data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share');
    return kept(join(base, 'portolan', 'sources'), mostBytes);
  }
  const passing = await mkdtemp(join(tmpdir(), 'portolan-sources-'));
  return {
    place: { directory: passing, mostBytes },
    close: () => rm(passing, { recursive: true, force: true }),
  };
}

/** Made when a source first asks for its folder. */
function kept(directory: string, mostBytes: number): OpenScratchPlace {
  return { place: { directory, mostBytes }, close: async () => undefined };
}
