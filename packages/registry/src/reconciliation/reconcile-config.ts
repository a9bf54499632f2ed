import type { RegistryConfig } from '@portolan/kernel';
import type { Kysely } from 'kysely';
import { type ConfiguredSource, Reconciliation } from './reconciliation.ts';
import { adminWrite, type Patience } from '../store/admin-write.ts';
import type { Database } from '../store/database-schema.ts';
import { lockChanges, markChanged } from '../store/epoch.ts';
import type { Store } from '../store/open-store.ts';
import type { StoredDefinition } from '../store/source-rows.ts';

export interface ConfiguredRegistries {
  readonly sources: readonly ConfiguredSource[];
  readonly registries: readonly RegistryConfig[];
}

/**
 * Limits of waiting for locks at the start. A running sync may hold a lock; after this time the operator gets
 * an error.
 */
const START: Patience = { turnMs: 120_000, rowMs: 60_000, attempts: 3 };

/**
 * Makes resources of creation type CONFIG match the file, in one transaction. A name of the API, or a removed
 * source that an API registry still lists, fails the start. Changed claims reach entries that inherit them,
 * and every replica, at once.
 */
export async function reconcileConfig(
  store: Store,
  configuredRegistries: ConfiguredRegistries,
  now: Date,
): Promise<ReadonlyMap<string, StoredDefinition>> {
  const write = async (db: Kysely<Database>): Promise<ReadonlyMap<string, StoredDefinition>> => {
    const work = new Reconciliation(db, store.engine, now.toISOString());
    const removable = await work.refuseAndFindRemoved(configuredRegistries);
    const plans = await work.planSources(configuredRegistries.sources, removable.sources);
    const stored = new Map<string, StoredDefinition>();
    for (const plan of plans) stored.set(plan.name, await work.putSource(plan));
    const registries = await work.planRegistries(configuredRegistries.registries);
    await lockChanges(db, store.engine);
    await work.removeRegistries(removable.registries);
    for (const plan of registries) await work.putRegistry(plan, stored);
    await work.removeSources(removable.sources);
    if (work.changed) await markChanged(db, 'everything');
    return stored;
  };
  return adminWrite(store, write, { patience: START });
}
