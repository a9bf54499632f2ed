import type { ResourceClaims } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { PreparedVersion } from '../src/preparation/prepared-version.ts';
import { SourceEntries } from '../src/sync/write/source-entries.ts';
import { forEachEngine, openTestStore } from './support/engines.ts';
import { define } from './support/fill.ts';

const NOW = '2026-03-01T12:00:00.000Z';

forEachEngine((engine) => {
  describe('entries of a source that take claims from each entry', () => {
    it('are stored with one query for each set of claims in a batch, and two writes when claims change', async () => {
      const database = await engine.make();
      const store = await openTestStore(database.config);
      try {
        const sourceId =
          (await define(store, [{ name: 'cluster', claimsFrom: 'entry' }], [])).get('cluster') ?? 0;
        const batchOf = (odd: string): readonly PreparedVersion[] =>
          Array.from({ length: 50 }, (_, at) =>
            prepared(`acme/s-${at}`, {
              team: at % 2 === 0 ? ['a', 'b'] : [odd],
              ...(at > 0 ? {} : { env: 'dev' }),
            }),
          );
        const labelled = async (batch: readonly PreparedVersion[]) => {
          let lookUps = 0;
          let writes = 0;
          await store.writing.transaction().execute(async (db) => {
            const counted = db.withPlugin({
              transformQuery: ({ node }) => {
                if (node.kind === 'SelectQueryNode' && JSON.stringify(node.from).includes('claim_set'))
                  lookUps += 1;
                if (node.kind === 'UpdateQueryNode') writes += 1;
                return node;
              },
              transformResult: async ({ result }) => result,
            });
            const target = { sourceId, claimSetId: undefined, statementRows: 25, now: NOW };
            await new SourceEntries(counted, target, 'in full').of(batch);
          });
          return { lookUps, writes };
        };
        const stored = () =>
          store.reading
            .selectFrom('entry')
            .innerJoin('claim_set', 'claim_set.id', 'entry.claim_set_id')
            .select(['name', 'canonical'])
            .where('name', 'in', ['acme/s-0', 'acme/s-1', 'acme/s-2'])
            .orderBy('name')
            .execute();
        const kept = (odd: string) => [
          { name: 'acme/s-0', canonical: '{"env":"dev","team":["a","b"]}' },
          { name: 'acme/s-1', canonical: `{"team":"${odd}"}` },
          { name: 'acme/s-2', canonical: '{"team":["a","b"]}' },
        ];
        expect(await labelled(batchOf('c')), 'made').to.deep.equal({ lookUps: 3, writes: 0 });
        expect(await labelled(batchOf('c')), 'there').to.deep.equal({ lookUps: 3, writes: 0 });
        expect(await stored()).to.deep.equal(kept('c'));
        expect(await labelled(batchOf('d')), 'changed').to.deep.equal({ lookUps: 3, writes: 2 });
        expect(await stored()).to.deep.equal(kept('d'));
      } finally {
        await store.close();
        await database.drop();
      }
    });
  });
});

function prepared(name: string, claims: ResourceClaims): PreparedVersion {
  const text = { searchText: name, contentHash: name, document: '{}', version: '1.0.0' };
  return { type: 'server', name, status: 'active', warnings: 0, claims, ...text };
}
