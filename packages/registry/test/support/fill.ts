import { versionOrderKey } from '@portolan/entry-format';
import type { EntryStatus, EntryType, ResourceClaims } from '@portolan/plugin-api';
import { reconcileConfig, type Store } from '@portolan/registry';
import { markChanged } from '../../src/store/epoch.ts';
import { claimSetId } from '../../src/store/claim-sets.ts';
import type { PreparedVersion } from '../../src/preparation/prepared-version.ts';
import { countVersions } from '../../src/store/record-sync.ts';
import { writeVersions } from '../../src/sync/write/write-versions.ts';

export const NOW = new Date('2026-03-01T12:00:00.000Z');

export interface PlainVersion {
  readonly name: string;
  readonly version: string;
  readonly type?: EntryType;
  readonly title?: string;
  readonly description?: string;
  readonly status?: EntryStatus;
  readonly claims?: ResourceClaims;
}

/** A version as the preparation of a sync hands it to the store. */
export function prepared(plain: PlainVersion): PreparedVersion {
  const { name, version, type = 'server', title = '', description = 'about it', status = 'active' } = plain;
  const document = JSON.stringify({ name, version, title, description });
  return {
    type,
    name,
    version,
    status,
    searchText: [name, title, description].join('\u001f').toLowerCase(),
    contentHash: `${status} ${document}`,
    document,
    warnings: 0,
    ...(plain.claims === undefined ? {} : { claims: plain.claims }),
  };
}

export interface PlainSource {
  readonly name: string;
  readonly claims?: ResourceClaims;
  readonly claimsFrom?: 'source' | 'entry' | 'publisher';
}

/** Sources and registries as a configuration file would define them; ids of the sources by name. */
export async function define(
  store: Store,
  sources: readonly PlainSource[],
  registries: readonly {
    readonly name: string;
    readonly sources: readonly string[];
    readonly claims?: ResourceClaims;
    readonly public?: boolean;
    readonly publicClaims?: ResourceClaims;
  }[],
): Promise<ReadonlyMap<string, number>> {
  const stored = await reconcileConfig(
    store,
    {
      sources: sources.map((source) => ({
        name: source.name,
        kind: source.claimsFrom === 'publisher' ? 'managed' : 'file',
        block: {},
        publicBlock: {},
        intervalMs: 60_000,
        filter: undefined,
        claims: source.claims ?? {},
        claimsFrom: source.claimsFrom ?? 'source',
      })),
      registries: registries.map(
        ({ name, sources: listed, claims = {}, public: isPublic = false, publicClaims }) => ({
          name,
          sources: listed,
          claims,
          public: isPublic,
          publicClaims,
        }),
      ),
    },
    NOW,
  );
  return new Map([...stored].map(([name, { id }]) => [name, id]));
}

/** Makes the versions of a source equal to these, as a sync does. */
export async function fill(
  store: Store,
  sourceId: number,
  versions: readonly PlainVersion[],
  now: Date = NOW,
): Promise<{ readonly changed: boolean; readonly duplicates: readonly string[] }> {
  return store.writing.transaction().execute(async (db) => {
    const { claim_set_id: own, claims_from: from } = await db
      .selectFrom('source')
      .select(['claim_set_id', 'claims_from'])
      .where('id', '=', sourceId)
      .executeTakeFirstOrThrow();
    async function* batches(): AsyncGenerator<readonly PreparedVersion[]> {
      for (let at = 0; at < versions.length; at += 3) yield versions.slice(at, at + 3).map(prepared);
    }
    const target = {
      sourceId,
      claimSetId: from === 'source' ? own : undefined,
      statementRows: 25,
      now: now.toISOString(),
    };
    const result = await writeVersions(db, target, batches());
    await db
      .updateTable('sync_status')
      .set(await countVersions(db, sourceId))
      .where('source_id', '=', sourceId)
      .execute();
    if (result.changed) await markChanged(db, { sourceIds: [sourceId] });
    return result;
  });
}

export { claimSetId, versionOrderKey };
