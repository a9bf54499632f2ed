import type { Kernel, NextRegistries } from '@portolan/kernel';
import {
  reconcileConfig,
  type ConfiguredRegistries,
  type Store,
  type StoredDefinition,
  type SyncedSource,
  type SyncScheduler,
} from '@portolan/registry';
import { describeChanges } from './describe-changes.ts';
import { describeSources, syncedSources } from './describe-sources.ts';

interface Taking {
  readonly store: Store;
  readonly kernel: Pick<Kernel, 'config' | 'sources' | 'clock'>;
  readonly scheduler: Pick<SyncScheduler, 'add' | 'remove'>;
  readonly stored: ReadonlyMap<string, StoredDefinition>;
}

/**
 * Returns a function that applies a new configuration's sources and registries. It stores them in one
 * transaction, updates the schedules of this process, and returns the changes. When the database rejects
 * them, it throws and nothing has changed.
 */
export function registryTaker({
  store,
  kernel,
  scheduler,
  stored,
}: Taking): (next: NextRegistries) => Promise<readonly string[]> {
  let before: ConfiguredRegistries = wantedOf(kernel);
  let running = byName(syncedSources(kernel, stored));
  return async (next) => {
    const configuredRegistries = wantedOf(next);
    const now = byName(
      syncedSources(next, await reconcileConfig(store, configuredRegistries, kernel.clock())),
    );
    const changes = describeChanges(before, configuredRegistries);
    before = configuredRegistries;
    const old = running;
    running = now;
    const gone = [...old].filter(([name, source]) => !isSame(source, now.get(name)));
    await Promise.all(gone.map(([name]) => scheduler.remove(name)));
    for (const [name, source] of now) {
      const earlier = old.get(name);
      if (isSame(source, earlier)) continue;
      scheduler.add(source, earlier?.instance === source.instance ? 'when due' : 'at once');
    }
    return changes;
  };
}

function wantedOf(next: NextRegistries): ConfiguredRegistries {
  return { sources: describeSources(next), registries: next.config.registries };
}

function byName(sources: readonly SyncedSource[]): ReadonlyMap<string, SyncedSource> {
  return new Map(sources.map((source) => [source.name, source]));
}

function isSame(one: SyncedSource, other: SyncedSource | undefined): boolean {
  if (other === undefined || one.instance !== other.instance) return false;
  const rest = ({ instance: _instance, ...settings }: SyncedSource): string => JSON.stringify(settings);
  return rest(one) === rest(other);
}
